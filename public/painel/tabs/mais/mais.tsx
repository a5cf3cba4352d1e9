import type { ComponentChildren, ComponentType } from "preact";
import { Icon } from "../../components/icon.tsx";
import { Link } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import { placeSearch } from "../../place.ts";
import { ClientPage } from "./client.tsx";
import { ClientsPart, LostPart, ReturnPart } from "./clients.tsx";
import { ClosedMonths } from "./closed-months.tsx";
import { HoursPart } from "./hours.tsx";
import { JobsPart } from "./jobs.tsx";
import { ProductsPart } from "./products.tsx";
import { ReportPart } from "./report.tsx";
import { ServicesPart } from "./services.tsx";
import { UnmappedPart } from "./unmapped.tsx";

interface Entry {
  part: string;
  title: string;
  /** What it answers. */
  detail: string;
  Content: ComponentType;
}

const ENTRIES: readonly Entry[] = [
  {
    part: "horarios",
    title: "Horários",
    detail: "O movimento dos salões por dia da semana e por hora",
    Content: HoursPart,
  },
  {
    part: "servicos",
    title: "Serviços",
    detail: "O que cada serviço rende nos salões, e como mudou",
    Content: ServicesPart,
  },
  {
    part: "produtos",
    title: "Produtos",
    detail: "Serviços ou produtos, e o que mais vende nos salões e nas lojas",
    Content: ProductsPart,
  },
  {
    part: "clientes",
    title: "Clientes",
    detail: "Dos salões: novos, assíduos que sumiram, e quem volta",
    Content: ClientsPart,
  },
  {
    part: "fechamentos",
    title: "Meses fechados",
    detail: "Quais meses foram fechados, e quanto mudou desde então",
    Content: ClosedMonths,
  },
  {
    part: "rotinas",
    title: "Atualização dos dados",
    detail: "Rotinas, falhas e catálogo de produtos",
    Content: JobsPart,
  },
  {
    part: "sem-centro",
    title: "Sem centro de custo",
    detail: "Profissionais e unidades que faltam no ERP",
    Content: UnmappedPart,
  },
  {
    part: "pdf",
    title: "Relatório em PDF",
    detail: "Faturamento, unidades, equipe e taxas para guardar ou enviar",
    Content: ReportPart,
  },
];

/** Parts that are opened from that of clients. */
const OF_CLIENTS: Record<string, ComponentType> = { assiduos: LostPart, retorno: ReturnPart };

const Menu = () => {
  const { view } = usePanel().place;
  return (
    <nav class="card parts-menu" aria-label="Mais">
      <ul>
        {ENTRIES.map(({ part, title, detail }) => (
          <li key={part}>
            <Link to={placeSearch(view, "mais", part)}>
              <span class="what">
                <strong>{title}</strong>
                <span class="more">{detail}</span>
              </span>
              <Icon name="seta" />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
};

const Part = ({ children }: { children: ComponentChildren }) => {
  const { view } = usePanel().place;
  return (
    <div class="part">
      <p class="back">
        <Link to={placeSearch(view, "mais")} scroll="back">
          <Icon name="voltar" />
          Mais
        </Link>
      </p>
      {children}
    </div>
  );
};

/** The reports that a manager opens now and then. */
export const Mais = () => {
  const { part } = usePanel().place;
  if (part === "cliente") return <ClientPage />;
  const Content = ENTRIES.find((each) => each.part === part)?.Content ?? OF_CLIENTS[part];
  return Content ? (
    <Part>
      <Content />
    </Part>
  ) : (
    <Menu />
  );
};

import type { ComponentChildren, ComponentType } from "preact";
import { Icon } from "../../components/icon.tsx";
import { Link } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import { placeSearch } from "../../place.ts";
import { ClientsPart } from "./clients.tsx";
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
    detail: "Quanto movimento cada dia da semana e cada hora tem",
    Content: HoursPart,
  },
  {
    part: "servicos",
    title: "Serviços",
    detail: "O que cada serviço rende, e como mudou",
    Content: ServicesPart,
  },
  {
    part: "produtos",
    title: "Produtos",
    detail: "Serviços ou produtos, e o que mais vende",
    Content: ProductsPart,
  },
  {
    part: "clientes",
    title: "Clientes",
    detail: "Novos, e quem não voltou",
    Content: ClientsPart,
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
  const entry = ENTRIES.find((each) => each.part === part);
  return entry ? (
    <Part>
      <entry.Content />
    </Part>
  ) : (
    <Menu />
  );
};

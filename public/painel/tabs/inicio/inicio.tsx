import type { Answer } from "../../answers.ts";
import { AccountNote } from "../../components/account.tsx";
import { Answered } from "../../components/card.tsx";
import { usePanel } from "../../context.ts";
import type { PanelBody } from "../../reports.ts";
import { AttentionCard } from "./attention-card.tsx";
import { Figures } from "./figures.tsx";
import { RevenueCard } from "./revenue-card.tsx";
import { TeamCard } from "./team-card.tsx";
import { UnitsCard } from "./units-card.tsx";

/** How are we doing, and what needs me. */
export const Inicio = ({ answer }: { answer: Answer<PanelBody> }) => {
  const { view } = usePanel().place;
  return (
    <Answered answer={answer}>
      {(body) => (
        <div class="inicio">
          <RevenueCard body={body} view={view} />
          <AttentionCard body={body} view={view} at={answer.at} />
          <Figures body={body} view={view} />
          {!view.unit && <UnitsCard body={body} view={view} />}
          <TeamCard body={body} view={view} />
          <AccountNote />
        </div>
      )}
    </Answered>
  );
};

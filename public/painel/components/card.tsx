import type { ComponentChildren } from "preact";
import { type Answer, REFRESH_MS } from "../answers.ts";
import { Boundary } from "./boundary.tsx";
import { Failure, Loading, Stale } from "./states.tsx";

interface CardProps {
  title: string;
  /** Beside the title: links and buttons. */
  actions?: ComponentChildren;
  /** Whether a part of it is on its way. */
  isBusy?: boolean;
  children: ComponentChildren;
}

/** A titled section. */
export const Card = ({ title, actions, isBusy, children }: CardProps) => {
  const id = `card-${title.toLowerCase().replaceAll(/[^a-zà-ú]+/g, "-")}`;
  return (
    <section class="card" aria-labelledby={id} aria-busy={isBusy}>
      <div class="titled">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
};

const Drawn = <Body,>({ body, draw }: { body: Body; draw: (body: Body) => ComponentChildren }) => (
  <>{draw(body)}</>
);

/** What an answer shows: its parts, or why they are not there. Its figures are never those of another place. */
export const Answered = <Body,>({
  answer,
  children,
}: {
  answer: Answer<Body>;
  children: (body: Body) => ComponentChildren;
}) => {
  if (answer.body !== undefined)
    return (
      <>
        <Stale answer={answer} />
        <Boundary
          of={answer.body}
          instead={<Failure error={{ reason: "unreadable", retryAt: answer.at + REFRESH_MS }} />}
        >
          <Drawn body={answer.body} draw={children} />
        </Boundary>
      </>
    );
  return answer.error ? <Failure error={answer.error} /> : <Loading />;
};

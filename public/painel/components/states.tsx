import { useEffect, useReducer } from "preact/hooks";
import { serviceNow } from "../../service-clock.ts";
import type { Answer } from "../answers.ts";
import { usePanel } from "../context.ts";
import { atTime, time } from "../format.ts";
import { REASONS } from "../messages.ts";
import type { RequestError } from "../service.ts";

/** In place of figures: why there are none, and what to do. */
export const EmptyState = ({ title, children }: { title: string; children?: preact.ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

type Reasoned = Pick<RequestError, "reason" | "retryAt">;

const reasonOf = ({ reason, retryAt }: Reasoned) =>
  `${REASONS[reason]} Nova tentativa ${atTime(new Date(retryAt))}.`;

/** A page that is older than the service cannot read its answers: then only loading it again helps. */
const ReloadOf = ({ error }: { error: Reasoned | undefined }) =>
  error?.reason === "unreadable" ? (
    <button type="button" class="quiet" onClick={() => location.reload()}>
      Recarregar a página
    </button>
  ) : null;

/** In place of an answer that failed. */
export const Failure = ({ error }: { error: Reasoned }) => {
  const { answers } = usePanel();
  return (
    <div class="empty" role="alert">
      <p>
        <strong>Não foi possível carregar.</strong>
      </p>
      <p class="more">{reasonOf(error)}</p>
      <button type="button" class="quiet" onClick={answers.refresh}>
        Tentar novamente
      </button>
      <ReloadOf error={error} />
    </div>
  );
};

/** How old the figures may be before the page says so. */
const STALE_MS = 150_000;

/** Above figures that could not be updated: of when their data are, as the header says, and why. */
export const Stale = ({ answer }: { answer: Answer<unknown> }) => {
  const { answers, dataUntil = answer.at } = usePanel();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const wait = answer.at + STALE_MS - serviceNow();
  useEffect(() => {
    if (answer.at === 0 || wait <= 0) return;
    const timer = setTimeout(() => redraw(undefined), wait);
    return () => clearTimeout(timer);
  }, [answer.at]);
  const isCurrent = wait > 0 || answer.isLoading;
  if (answer.body === undefined || (answer.error === undefined && isCurrent)) return null;
  return (
    <div class="stale" role="status">
      <p>
        Exibindo dados de {time(new Date(Math.min(answer.at, dataUntil)))}.{" "}
        {answer.error && reasonOf(answer.error)}
      </p>
      <button type="button" class="quiet" onClick={answers.refresh}>
        Atualizar
      </button>
      <ReloadOf error={answer.error} />
    </div>
  );
};

/** Takes the place of a part that is on its way. It does not move. */
export const Loading = () => (
  <div class="loading" role="status">
    <span class="sr-only">Carregando…</span>
    <span class="blank" />
    <span class="blank" />
    <span class="blank" />
  </div>
);

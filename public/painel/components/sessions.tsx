import { useEffect, useRef, useState } from "preact/hooks";
import { serviceNow } from "../../service-clock.ts";
import { usePanel } from "../context.ts";
import { time } from "../format.ts";
import { addDays, dayOf } from "../view.ts";

interface OwnSession {
  id: string;
  started_at: string;
  renewed_at: string;
  kind: "api" | "browser" | "oauth";
  client: string | null;
  device: string | null;
  current: boolean;
}
type Target = { session: string } | { all: true };

const KINDS = { api: "só até fechar a página", browser: "fica conectado" };

/** hoje às 10:12; ontem às 10:12; 22/11/2026 às 10:12. */
const placeInTime = (text: string) => {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return "em data desconhecida";
  const [day, today] = [dayOf(at), dayOf(serviceNow())];
  if (day === today) return `hoje às ${time(at)}`;
  return day === addDays(today, -1) ? time(at) : `em ${time(at)}`;
};

const nameOf = ({ kind, client, device }: OwnSession) =>
  kind === "oauth" ? `Assistente ${client}` : (device ?? "Aparelho desconhecido");

const detailsOf = ({ kind, device }: OwnSession) => {
  if (kind !== "oauth") return KINDS[kind];
  return device ? `autorizado por ${device}` : "autorizado por você";
};

/** Whether the server did it. */
const request = (answer: Promise<Response>) =>
  answer.then(
    (response) => (response.ok ? response : undefined),
    () => undefined,
  );

/** The user's sessions, and what ends them. The message is spoken. */
const useSessions = () => {
  const { session } = usePanel();
  const [sessions, setSessions] = useState<readonly OwnSession[]>();
  const [message, setMessage] = useState("");
  const [isBusy, setBusy] = useState(false);

  const load = async () => {
    const response = await request(session.fetch("/auth/sessions"));
    const body: { data: OwnSession[] } | undefined = await response?.json().catch(() => undefined);
    if (body === undefined)
      setMessage("Não foi possível carregar as sessões. Feche e abra esta janela novamente.");
    else setSessions(body.data);
    return body !== undefined;
  };

  /** Resolves to whether the session has ended; then `isOwn` shows the sign-in. */
  const end = async (target: Target, { isOwn }: { isOwn: boolean }) => {
    if (isBusy) return false;
    setMessage("");
    setBusy(true);
    const response = await request(
      session.fetch("/auth/logout", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(target),
      }),
    );
    setBusy(false);
    if (response === undefined) setMessage("Não foi possível encerrar. Tente novamente.");
    else if (isOwn) await session.signOut();
    else if (await load()) setMessage("Sessão encerrada.");
    return response !== undefined;
  };

  useEffect(() => void load(), []);
  return { sessions, message, isBusy, end };
};

const Row = ({ row, isBusy, onEnd }: { row: OwnSession; isBusy: boolean; onEnd: () => void }) => (
  <li>
    <span class="what">
      <strong>{nameOf(row)}</strong>
      {row.current && <span class="own">este aparelho</span>}
      <span class="more">
        Entrou {placeInTime(row.started_at)}
        {row.renewed_at !== row.started_at && `, usada ${placeInTime(row.renewed_at)}`} · {detailsOf(row)}
      </span>
    </span>
    <button
      type="button"
      class="quiet"
      aria-disabled={isBusy}
      aria-label={`Encerrar ${nameOf(row)}, ${placeInTime(row.started_at)}`}
      onClick={onEnd}
    >
      Encerrar
    </button>
  </li>
);

interface QuestionProps {
  isBusy: boolean;
  onCancel: () => void;
  onEnd: () => void;
}

/** Asks before all sessions end. The button that keeps them has the focus. */
const Question = ({ isBusy, onCancel, onEnd }: QuestionProps) => {
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  return (
    <div class="question">
      <p id="sessions-question">
        Encerrar todas as sessões, inclusive esta? Depois, será preciso entrar de novo em cada aparelho e
        conectar de novo os assistentes.
      </p>
      <button
        ref={cancel}
        type="button"
        class="primary"
        aria-describedby="sessions-question"
        onClick={onCancel}
      >
        Cancelar
      </button>
      <button
        type="button"
        class="quiet danger"
        aria-disabled={isBusy}
        aria-describedby="sessions-question"
        onClick={onEnd}
      >
        Encerrar todas
      </button>
    </div>
  );
};

/** The user's own sessions: what is signed in, and a button to end each. */
export const Sessions = () => {
  const { sessions, message, isBusy, end } = useSessions();
  const [isAsking, ask] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const endAll = useRef<HTMLButtonElement>(null);
  // The button that opened this is gone: Enter must not press another.
  useEffect(() => root.current?.closest("dialog")?.querySelector("h2")?.focus(), []);
  const endOne = async (row: OwnSession) => {
    // The button of this row goes with it.
    if (await end({ session: row.id }, { isOwn: row.current })) list.current?.focus();
  };
  const cancel = () => {
    ask(false);
    setTimeout(() => endAll.current?.focus());
  };
  return (
    <div ref={root} class="sessions">
      <p>
        Cada linha é uma sessão aberta com a sua conta. Encerre as que você não reconhece. Uma sessão
        encerrada ainda pode funcionar por até 15 minutos.
      </p>
      <p role="status">{message}</p>
      {sessions === undefined && message === "" && <p class="more">Carregando…</p>}
      {sessions?.length === 0 && <p class="nothing">Nenhuma sessão aberta.</p>}
      <ul ref={list} tabIndex={-1} aria-label="Sessões">
        {sessions?.map((row) => (
          <Row key={row.id} row={row} isBusy={isBusy} onEnd={() => void endOne(row)} />
        ))}
      </ul>
      {isAsking ? (
        <Question isBusy={isBusy} onCancel={cancel} onEnd={() => void end({ all: true }, { isOwn: true })} />
      ) : (
        <button ref={endAll} type="button" class="quiet danger" onClick={() => ask(true)}>
          Encerrar todas
        </button>
      )}
    </div>
  );
};

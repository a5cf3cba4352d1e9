// Messages of the sign-in and of failed requests. Every other text is next to the code that shows it.

import type { Messages } from "../session.ts";
import type { Reason } from "./service.ts";
import { nameOr } from "./units.ts";

/** As the installed app. */
export const BRAND = "Painel dos salões";

export const REASONS: Record<Reason, string> = {
  limit: "Limite de consultas atingido.",
  busy: "Serviço indisponível no momento.",
  unreachable: "Sem conexão com o servidor.",
  broken: "A conexão caiu antes do fim.",
  unreadable: "Resposta inesperada do servidor. Se continuar, recarregue a página.",
  refused: "Consulta recusada pelo servidor.",
  unauthorized: "Acesso não autorizado. Saia e entre novamente.",
};

export const MESSAGES: Messages = {
  missing: "Preencha o e-mail e a senha.",
  wrong: "E-mail ou senha incorretos. Confira e tente novamente.",
  tooMany: (minutes) =>
    `Muitas tentativas. Aguarde ${minutes} ${minutes === 1 ? "minuto" : "minutos"} e tente novamente.`,
  refused: () => "E-mail inválido ou senha longa demais. Confira e tente novamente.",
  busy: "Serviço indisponível no momento. Tente novamente em alguns segundos.",
  unreachable: "Não foi possível conectar. Verifique sua internet e tente novamente.",
  expired: "Sua sessão expirou. Entre novamente para continuar de onde parou.",
  signedOut: "Você saiu.",
  notResumed:
    "Não foi possível continuar sua sessão. Apague os dados deste site no navegador e entre novamente.",
  notEnded:
    "Você saiu, mas o servidor não respondeu. A sessão será encerrada quando esta página abrir novamente com internet.",
};

/** Names the units that the user may read; null means all. */
export const allUnits = (allowed: string[] | null): string =>
  allowed === null ? "Todas as unidades" : "Todas as suas unidades";

export const OUTSIDE_UNIT = "Você não tem acesso à unidade do link. Mostrando as suas unidades.";
export const UNKNOWN_UNIT = "Esta unidade não está cadastrada.";
export const OF_SALONS =
  "Lojas só vendem produtos, sem atendimentos. As vendas, o valor por venda e as taxas delas estão em Unidades.";
export const NOT_BEGUN = "Este período ainda não começou.";
export const INVALID_PERIOD = "Período inválido no link. Mostrando este mês.";

/** The name of a professional. Its fallbacks name the code by which the salon system finds them. */
export const professionalName = (row: {
  profissional: string | null;
  profissional_salon_id: string | null;
}): string =>
  row.profissional?.trim() ||
  (row.profissional_salon_id === null
    ? "Profissional não identificado"
    : `Profissional não cadastrado (cód. ${row.profissional_salon_id})`);

/** What a service is called. */
export const serviceName = (name: string | null | undefined): string => nameOr(name, "Serviço sem nome");

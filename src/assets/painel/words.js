// What is said at the sign-in, and why there is no answer. What is said of a part stands beside the part.

/** @type {Record<import("./service.js").Why, string>} */
export const REASONS = {
  limit: "Limite de consultas atingido.",
  busy: "Serviço indisponível no momento.",
  unreachable: "Sem conexão com o servidor.",
  unreadable: "Resposta inesperada do servidor.",
  refused: "Consulta recusada pelo servidor.",
  ended: "Sua sessão não foi aceita.",
};

/** @type {import("../session.js").Words} */
export const WORDS = {
  missing: "Preencha o e-mail e a senha.",
  wrong: "E-mail ou senha incorretos. Confira e tente novamente.",
  tooMany: (minutes) =>
    `Muitas tentativas. Aguarde ${minutes} ${minutes === 1 ? "minuto" : "minutos"} e tente novamente.`,
  refused: () => "O e-mail não é válido ou a senha é longa demais.",
  busy: "Serviço indisponível no momento. Tente novamente em alguns segundos.",
  unreachable: "Não foi possível conectar. Verifique sua internet e tente novamente.",
  ended: "Sua sessão expirou. Entre novamente para continuar de onde parou.",
  left: "Você saiu.",
};

export const MISREAD = "Período inválido no link. Mostrando este mês.";

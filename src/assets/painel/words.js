// What is said at the sign-in, and why there is no answer. What is said of a part stands beside the part.

/** @type {Record<import("./service.js").Why, string>} */
export const REASONS = {
  limit: "O limite de pedidos foi atingido.",
  busy: "O serviço não responde no momento.",
  unreachable: "Sem conexão com o serviço.",
  unreadable: "O serviço respondeu algo que esta página não entende.",
  refused: "O serviço não aceita este pedido.",
  ended: "O serviço não aceita esta sessão.",
};

/** @type {import("../session.js").Words} */
export const WORDS = {
  missing: "Preencha o e-mail e a senha.",
  wrong: "E-mail ou senha incorretos. Confira os dois e tente de novo.",
  tooMany: (minutes) =>
    `Tentativas demais. Espere ${minutes} ${minutes === 1 ? "minuto" : "minutos"} e tente de novo.`,
  refused: () => "Este e-mail não parece um endereço de e-mail, ou a senha é longa demais.",
  busy: "O serviço não responde no momento. Tente de novo em alguns segundos.",
  unreachable: "O serviço não pode ser alcançado. Confira a conexão e tente de novo.",
  ended: "A sessão terminou. Entre de novo: a visão continua a mesma.",
  left: "Você saiu.",
};

export const MISREAD = "O endereço não diz um período que exista: vale este mês.";

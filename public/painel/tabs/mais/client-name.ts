import { nameOr } from "../../units.ts";

export type OfClient = { cliente_salon_id: string | null; cliente_nome: string | null };

/** The name of a client, or the code by which the salon system finds them. */
export const clientName = ({ cliente_nome, cliente_salon_id: id }: OfClient): string =>
  nameOr(cliente_nome, id === null ? "Cliente não identificado" : `Cliente sem nome (cód. ${id})`);

import { usePanel } from "../context.ts";

/** What a limited account shows; nothing of an account with all rights. */
export const AccountNote = () => {
  const { rights, unitName } = usePanel();
  const missing = [
    ...(rights.personalData ? [] : ["sem dados pessoais"]),
    ...(rights.payments ? [] : ["sem pagamentos"]),
  ];
  if (rights.units === null && missing.length === 0) return null;
  const units = rights.units === null ? ["todas as unidades"] : rights.units.map(unitName);
  return <p class="more">Sua conta mostra {[...units, ...missing].join(", ")}.</p>;
};

import { useState } from "preact/hooks";
import { usePanel } from "../../context.ts";
import { clientSearch, MAX_ID_LENGTH } from "../../links.ts";
import { navigate } from "../../navigation.ts";

/** Opens a client by the code in the salon system. Not by name: the URL would contain it. */
export const OpenClient = () => {
  const { view } = usePanel().place;
  const [id, setId] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const search = clientSearch(view, id.trim());
    if (search !== undefined) navigate(search);
  };
  return (
    <form class="card open-client" onSubmit={submit}>
      <label>
        Código do cliente
        <input
          required
          pattern=".*\S.*"
          title="O código no sistema do salão"
          maxLength={MAX_ID_LENGTH}
          autocomplete="off"
          value={id}
          onInput={({ currentTarget }) => setId(currentTarget.value)}
        />
      </label>
      <button type="submit" class="quiet">
        Abrir
      </button>
    </form>
  );
};

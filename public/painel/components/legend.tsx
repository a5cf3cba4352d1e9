/** What the marks of a chart mean. @param keys words, by the class of the key beside them */
export const Legend = ({ keys }: { keys: Record<string, string> }) => (
  <ul class="legend more">
    {Object.entries(keys).map(([key, words]) => (
      <li key={key}>
        <span class={`key ${key}`} aria-hidden="true" />
        {words}
      </li>
    ))}
  </ul>
);

/** Says what the pace is, behind an "i". */
export const PaceNote = () => (
  <details class="info">
    <summary>
      <span class="i" aria-hidden="true">
        i
      </span>
      Como o ritmo é calculado
    </summary>
    <p>
      O ritmo é o que entrou até ontem mais a média de cada dia que falta, e para hoje o maior entre o que já
      entrou e a média. A média de uma sexta é a das últimas oito sextas antes de hoje, e assim cada dia da
      semana. Aparece a partir do dia 5.
    </p>
  </details>
);

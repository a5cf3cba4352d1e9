import fc from "fast-check";

const texts = (...lines: string[]) => lines.flatMap((line) => line.split(" | "));

/**
 * Text that Excel in Portuguese or English changes, or that begins like it: numbers, dates, times, Booleans, formulas.
 */
export const CHANGED_BY_EXCEL = [
  ...texts(
    "007 | 00 | -0 | 00123456789 | 12345678901 | 123456789012345 | 12345678901234567 | 1e5 | 1E5 | 1D5 | 0x10",
    ".5 | ,5 | 1,5 | 1.000 | 1.000,50 | +5 | -5 | - 5 | - | (5) | 5% | 5 % | %5 | ½ | ² | 1 1/2 | 1/2 | 1-2",
    "$5 | $ 5 | R$5 | R$ 5 | US$5 | 5€ | €5 | £5 | 31/12/2026 | 2026-11 | 2026-11-30 | 2026-11-30T10:00:00Z",
    "10:30 | 10:30:05 | 10:30 PM | 10 pm | 10 a | mar/24 | mar-24 | MAR/24 | MARCH1 | SEPT2 | sept-5 | DEC1 | 5/mar",
    "5 mar | 2-fev-24 | sáb-5 | SÁB-5 | set ５ | Mar 2026 | março de 2024 | 5 de março | 1º de maio | March 5",
    "Friday, March 5, 2024 | Mar 5, 10:30 PM | seg 5/3/24 | TRUE | true | False | VERDADEIRO | falso",
    "=1+1 | +1+1 | -1+1 | @SUM(1) | =cmd|'/c'!A1 | '=1 | '007 | #N/A | #N/D | #REF! | #DIV/0! | -2;3",
    '="a" | =HYPERLINK("http://x";"y") | ＝1+1 | ＋1 | －1 | ＠SUM | １２３ | ５% | ٣ | ＄5 | \uFF34\uFF32\uFF35\uFF25',
  ),
  ...texts("×5 | ÷5 | Sexta-feira, 5 de março de 2026 | terça 10 | Setembro/26 | DOMINGO 1 | Jan 5 10:30 am"),
  ...[" 5", "\t=1+1", "\r=1+1", "\n=1+1", "\u00a0=1+1", "\u3000＝1", "\u200b5", "\ufeff=1", " TRUE", "TRUE "],
  ...["  ", "\u00a0", "\t", "=1\r\n+2", "5\u00a0", "101\n", "falso\n", "Março\n5", "0".repeat(255)],
];

/** Text that Excel keeps. A short id becomes a number that looks the same. */
export const KEPT_BY_EXCEL = [
  ...texts(
    "0 | 101 | 12345678 | T1 | S101-V000123 | e5 | R5 | Ana | Álamo | élan | Ōta | João da Silva | Maria da Silva",
    "Mariana | Segunda | Dezembro | Sexta 2x | Corte 2 | Shampoo 300ml | Set de 3 peças | Rua 5, 100",
    "Marketing ref. 07/2026 | ana@example.com | a=1 | a;=1 | Verdadeiros | FALSEHOODS | True story | Infinity | NaN | null",
    "Quiosque 901 | Mariana 2 | Marca 10 | Setor 12 | Setor 5/12 | Marte 3 | Domus 1 | Junta 2026 | Maré 5 | Segundo 2",
    "Mar de 5 ondas | Marc\u0327o 5 | Falsoé | Ølga 5 | Terceiro 3 | Outlet 24 | Maison 10 | Satélite 2 | Sol 5",
    '{} | {"a": 1} | [] | [1, 2] | "5" | a"b',
  ),
  ...["", "a\n=1+1", "a\tb", `a${"0".repeat(300)}`],
];

/** Text that is too long for a formula of Excel, which takes 255 UTF-16 units. */
export const TOO_LONG_FOR_A_FORMULA = [
  `0${"1".repeat(255)}`,
  `=${"é".repeat(255)}`,
  `0${"💇".repeat(128)}`,
  `-"${"a;\n".repeat(100)}`,
];

/** A cell of CSV that keeps `text` in Excel (X1). */
export const inFormula = (text: string) => `"=""${text.replaceAll('"', '""""')}"""`;
/** The same for text that is too long for a formula. */
export const withApostrophe = (text: string) => `"'${text.replaceAll('"', '""')}"`;
export const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;

const PARTS = [
  ..."0 00 1 5 12 31 2026 99999999 12345678901234567 , . / - : % $ R$ € ( ) + = @ # ' E e am PM h de".split(
    " ",
  ),
  ..."mar Mar MARÇO março dez sept seg Fri sábado TRUE falso VERDADEIRO Ana Corte É ５ ＝ ＋ 💇".split(" "),
  ...[" ", "\t", "\u00a0", '"', ";", "\\"],
];

/** Text of parts that Excel reads as something else, alone or together. */
export const excelText = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(""));

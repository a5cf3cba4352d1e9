import fc from "fast-check";

/**
 * Text that Excel in Portuguese or English changes, or that begins like it: numbers, dates, times, Booleans, formulas.
 */
export const CHANGED_BY_EXCEL = [
  ..."007 00123456789 12345678901 123456789012345 12345678901234567 1e5 1E5 1D5 .5 ,5 1,5 1.000 1.000,50".split(
    " ",
  ),
  ..."+5 -5 - (5) 5% %5 $5 R$5 US$5 5€ €5 £5 1/2 1-2 31/12/2026 2026-11 2026-11-30 10:30 10:30:05 ½ ²".split(
    " ",
  ),
  ..."=1+1 +1+1 -1+1 @SUM(1) =cmd|'/c'!A1 #N/A #N/D #REF! #DIV/0! ＝1+1 ＋1 －1 ＠SUM １２３ ＴＲＵＥ ５% ٣ ＄5".split(
    " ",
  ),
  ..."TRUE true False VERDADEIRO verdadeiro FALSO falso mar/24 mar-24 MAR/24 MARCH1 SEPT2 DEC1 5/mar 2-fev-24 sáb-5 SÁB-5".split(
    " ",
  ),
  ...[
    "R$ 5",
    "$ 5",
    "5 %",
    "- 5",
    "10 pm",
    "10 a",
    "10:30 PM",
    "5 mar",
    "March 5",
    "Mar 2026",
    "set ５",
    "1 1/2",
  ],
  ...[
    "março de 2024",
    "5 de março",
    "Friday, March 5, 2024",
    "seg 5/3/24",
    "Mar 5, 10:30 PM",
    "1º de maio",
    "Março\n5",
    "TRUE ",
    "falso\n",
    "2026-11-30T10:00:00Z",
  ],
  ...[
    " 5",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\u00a0=1+1",
    "\u3000＝1",
    "\u200b5",
    "\ufeff=1",
    " TRUE",
    "  ",
    "\u00a0",
    "\t",
  ],
  ...[
    '="a"',
    '=HYPERLINK("http://x";"y")',
    "-2;3",
    "=1\r\n+2",
    "'=1",
    "'007",
    "5\u00a0",
    "101\n",
    "0x10",
    "00",
    "-0",
  ],
  "0".repeat(255),
];

/** Text that Excel keeps. A short id becomes a number that looks the same. */
export const KEPT_BY_EXCEL = [
  ...[
    "",
    "0",
    "101",
    "12345678",
    "Ana",
    "Álamo",
    "élan",
    "Ōta",
    "João da Silva",
    "Maria da Silva",
    "Mariana",
    "Segunda",
  ],
  ...[
    "Corte 2",
    "T1",
    "S101-V000123",
    "e5",
    "Shampoo 300ml",
    "Rua 5, 100",
    "ana@example.com",
    "a=1",
    "a\n=1+1",
    'a"b',
  ],
  ...[
    "Verdadeiros",
    "Falsos amigos",
    "True story",
    "FALSOS",
    "Marketing ref. 07/2026",
    "Set de 3 peças",
    "Sexta 2x",
    "Domingas de Souza",
    "Infinity",
    "NaN",
    "null",
    "R5",
    "a;=1",
    "a\tb",
    "Dezembro",
    "{}",
  ],
  ...['{"a": 1}', "[]", "[1, 2]", '"5"', `a${"0".repeat(300)}`],
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

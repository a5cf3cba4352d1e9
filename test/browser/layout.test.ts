// @module-tag slow
import { readFileSync } from "node:fs";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { accessibilityViolations, base, overflowing, shoot } from "./browser.ts";
import { navigate, openPanel, PHONE, placesOf, signOut, tableOf } from "./panel.ts";

const SIZES = [
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];

/** The controls that are seen. A link within a sentence may be as high as its line (WCAG 2.5.8). */
const TARGETS = `[...document.querySelectorAll("a, button, select, input, [role=slider]")]
  .filter((one) => one.checkVisibility() && !one.matches(".skip") && (innerWidth > 767 || !one.closest("thead")))`;
const tooSmall = (page: Page, within: string, min: number) =>
  page.evaluate<string[]>(
    `${TARGETS}.filter((one) => one.closest("${within}") && one.getBoundingClientRect().height < ${min} - 0.5).map((one) => one.outerHTML.slice(0, 120))`,
  );
/** Small targets whose 24 px circles would touch another target. */
const tooClose = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const boxes = ${TARGETS}.map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    return boxes.filter(([one, box]) => box.height < 23.5 && boxes.some(([other, near]) => {
      // Content scrolls below the bars that stay.
      if (other === one || other.contains(one) || one.contains(other) || other.closest(".top, .period-row, .tabs")) return false;
      const [x, y] = middle(box);
      const dx = Math.max(near.left - x, 0, x - near.right);
      const dy = Math.max(near.top - y, 0, y - near.bottom);
      return Math.hypot(dx, dy) < 12;
    })).map(([one]) => one.outerHTML.slice(0, 120));
  })()`);
/** Names and amounts that are cut: with an ellipsis, or by their frame. */
const cut = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll("#conteudo :is(.name, .value, .figure, th, td, h2, h3, .what > *, .segmented > *)")].filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline" && !one.closest(".sr-only, thead")).map((one) => one.textContent.slice(0, 60))`,
  );

/** Words of which a part is on the next line, though they have no place for a break. */
const brokenWords = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.querySelector("#content"), NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.parentElement.checkVisibility() || node.parentElement.closest(".sr-only, svg, option, thead")) continue;
      for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\d]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) broken.push(word + " in " + node.data.slice(0, 60));
      }
    }
    return broken;
  })()`);

/** Cards that are seen above one that a reader of the page hears first. */
const outOfOrder = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll("#conteudo :is(.inicio, .unit-page, .equipe, .parts) > :not(:first-child)")].filter((one) => one.getBoundingClientRect().top < one.previousElementSibling.getBoundingClientRect().top - 1).map((one) => one.textContent.slice(0, 60))`,
  );

describe.runIf(hasChromium)("the layout of /painel", () => {
  /** Opens each place. Returns what is wrong there. */
  const faultsIn = async (page: Page, places: string[], look: () => Promise<unknown[][]>) => {
    const faults: unknown[] = [];
    for (const search of places) {
      await navigate(page, search);
      const found = await look();
      if (found.flat().length > 0) faults.push([search, ...found]);
    }
    return faults;
  };
  const VIEWS = [...placesOf(), ...placesOf("unidade=101").slice(0, 2), "?periodo=7-dias"];
  const isPhone = ({ width }: (typeof SIZES)[number]) => width < 500;

  it.each(SIZES)(
    "passes axe, fits the window, cuts no name, breaks no word, reads as it is seen and has targets that a finger finds, in every tab: $width × $height (A2)",
    async (viewport) => {
      const { page, complaints } = await openPanel("", { ...(isPhone(viewport) && PHONE), viewport });
      const look = async () => [
        await overflowing(page),
        await cut(page),
        await brokenWords(page),
        await outOfOrder(page),
        await accessibilityViolations(page),
        ...(isPhone(viewport)
          ? [await tooSmall(page, ".top, .periods, .chips, .tabs, .segmented", 44), await tooClose(page)]
          : []),
      ];
      expect(await faultsIn(page, VIEWS, look)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  // Only colours differ in the dark.
  it.each(SIZES.filter(({ width }) => [390, 1440].includes(width)))(
    "has enough contrast in the dark: $width × $height (A2)",
    async (viewport) => {
      const { page } = await openPanel("", { viewport, colorScheme: "dark" });
      const look = () => accessibilityViolations(page, ["color-contrast"]);
      expect(await faultsIn(page, VIEWS, look)).toEqual([]);
    },
  );

  it.each(SIZES.filter(isPhone))("shows all five periods: $width × $height (A2)", async (viewport) => {
    const { page } = await openPanel("", { ...PHONE, viewport });
    const periods = page.getByRole("navigation", { name: "Período" }).locator("> *");
    expect(await periods.allTextContents()).toEqual(["Hoje", "7 dias", "Mês", "Ano", "Datas"]);
    for (const period of await periods.all()) {
      const box = await period.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= viewport.width && box.width >= 44).toBe(true);
    }
  });

  it.each([
    ["scroll away on a phone, below the segments that stay", 390, false],
    ["stay beside the segments on a desktop", 1440, true],
  ])("shows three more periods, which %s (A2)", async (_, width, isBeside) => {
    const { page } = await openPanel("", { viewport: { width, height: 844 } });
    const chips = page.getByRole("navigation", { name: "Outras datas" });
    expect(await chips.getByRole("link").allTextContents()).toEqual(["Ontem", "Semana passada", "30 dias"]);
    const topOf = async (name: string) =>
      (await page.getByRole("navigation", { name, exact: true }).boundingBox())?.y ?? Number.NaN;
    expect((await topOf("Outras datas")) > (await topOf("Período")) + 40).toBe(!isBeside);
    await page.evaluate("scrollTo(0, 800)");
    expect(await topOf("Período")).toBeGreaterThan(0);
    expect((await topOf("Outras datas")) > 0).toBe(isBeside);
    await page.evaluate("scrollTo(0, 0)");
    await chips.getByText("Semana passada").click();
    await page.waitForURL(/periodo=semana-passada/);
    const current = page.locator(".period-row [aria-current]");
    expect(await current.allTextContents()).toEqual(["Semana passada"]);
  });

  it("offers no period where it changes nothing (A2)", async () => {
    const { page } = await openPanel("?aba=financeiro");
    const row = page.locator(".period-row");
    for (const [search, isShown] of [
      ["?aba=financeiro", true],
      ["?aba=financeiro&parte=contas", false],
      ["?aba=financeiro&parte=envio", false],
      ["?aba=mais&parte=rotinas", false],
      ["?lista=vencidos", false],
      ["?aba=financeiro&parte=taxas", true],
      ["?lista=atendimentos", true],
    ] as const) {
      await navigate(page, search);
      expect([search, await row.count()]).toEqual([search, isShown ? 1 : 0]);
    }
  });

  it.each(SIZES.filter(({ width }) => width !== 390))(
    "reaches everything at 200 % zoom of $width × $height (A2)",
    async ({ width, height }) => {
      const viewport = { width: Math.round(width / 2), height: Math.round(height / 2) };
      const { page } = await openPanel("", { viewport });
      const look = async () => {
        // What is fixed or sticky leaves room for the content.
        const covered = await page.evaluate<number>(
          `[...document.querySelectorAll(".top, .period-row, .periods, .tabs")].filter((one) => one.getBoundingClientRect().width >= innerWidth - 1 && /fixed|sticky/.test(getComputedStyle(one).position)).reduce((sum, one) => sum + one.offsetHeight, 0) / innerHeight`,
        );
        return [viewport.width < 320 ? [] : await overflowing(page), covered > 0.5 ? [covered] : []];
      };
      expect(await faultsIn(page, placesOf(), look)).toEqual([]);
      await signOut(page);
    },
  );

  it.each(SIZES.filter(({ width }) => width !== 768))(
    "fits the window and breaks no word with text of one and a half times the size: $width × $height (A2)",
    async (viewport) => {
      const { page } = await openPanel("", { viewport });
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Page.setFontSizes", { fontSizes: { standard: 24, fixed: 24 } });
      const look = async () => [await overflowing(page), await brokenWords(page)];
      expect(await faultsIn(page, placesOf(), look)).toEqual([]);
      await shoot(page, `painel-large-text-${viewport.width}`);
    },
  );

  it("shows the month of all units on at most 3.4 screens of a phone, whatever needs attention (A2)", async () => {
    const { page } = await openPanel("", PHONE);
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    const lines = await page
      .locator(".alerts > li")
      .evaluateAll((all) => all.map((line) => line.getBoundingClientRect().height));
    // As on a day when all six lines are as high as the highest of today.
    const most = height - lines.reduce((sum, line) => sum + line, 0) + 6 * Math.max(...lines);
    expect([lines.length <= 6, most / 844 <= 3.4], `${most / 844} screens`).toEqual([true, true]);
  });

  const movedBy = async (page: Page) => {
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    const shifts = await page.evaluate<{ value: number }[]>("shifts");
    return shifts.reduce((sum, { value }) => sum + value, 0);
  };
  it.each([PHONE, { viewport: { width: 1440, height: 900 } }])(
    "moves hardly anything while a first visit loads: $viewport.width px (A2)",
    async (options) => {
      const prepare = async (page: Page) => {
        await page.addInitScript(() => {
          Object.assign(globalThis, { shifts: [] });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              (globalThis as unknown as { shifts: unknown[] }).shifts.push(entry.toJSON());
          }).observe({ type: "layout-shift", buffered: true });
        });
      };
      const { page } = await openPanel("", { ...options, prepare });
      // What moves right after a click is counted, too.
      expect(await movedBy(page)).toBeLessThanOrEqual(0.05);
      await page.goto(`${base}/painel`);
      expect(await movedBy(page)).toBeLessThanOrEqual(0.05);
    },
  );

  /** Not in the types of axe. */
  interface Colours {
    Color: new () => { parseString: (text: string) => object };
    getContrast: (a: object, b: object) => number;
  }
  const { Color, getContrast } = (axe.commons as unknown as { color: Colours }).color;
  const contrast = (a = "", b = "") => getContrast(new Color().parseString(a), new Color().parseString(b));
  // axe checks the text of each place, but neither marks nor notices.
  it.each(["light", "dark"])(
    "has a contrast of 3:1 for the marks of charts and changes, and of 4.5:1 for notices: %s (A2)",
    (scheme) => {
      const css = readFileSync("public/tokens.css", "utf8");
      const colours = Object.fromEntries(
        [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(
          ([, name = "", light = "", dark = ""]) => [name, scheme === "light" ? light : dark],
        ),
      );
      for (const mark of ["accent", "second", "past", "alarm", "warn", "line"])
        expect([mark, contrast(colours[mark], colours.paper) >= 3]).toEqual([mark, true]);
      expect(contrast(colours["on-accent"], colours.accent)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(colours.warn, colours["warn-tint"])).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each([360, 390])(
    "shows a table of a phone as rows of a name and a figure, which end on one edge and open as a whole: %s px (A2)",
    async (width) => {
      const { page } = await openPanel("", { ...PHONE, viewport: { width, height: 844 } });
      /** Of each table: rows that a finger misses, the edges of figures, and cells that should be behind a tap. */
      const look = () =>
        page.evaluate<[small: number, edges: number, shown: number][]>(`(() => {
          return [...document.querySelectorAll("table.data")].map((table) => {
            const rows = [...table.querySelectorAll("tr:not(.extra)")].filter((row) => !row.closest("thead"));
            const isSeen = (cell) => cell.checkVisibility();
            const figures = rows.map((row) => [...row.querySelectorAll(".main")].filter(isSeen));
            const edges = new Set(figures.flat().map((cell) => Math.round(cell.getBoundingClientRect().right)));
            const small = rows.filter((row) => row.getBoundingClientRect().height < 43.5);
            const hidden = rows.flatMap((row) => [...row.querySelectorAll("td:not(.main, .below)")]);
            return [small.length, edges.size, hidden.filter(isSeen).length];
          });
        })()`);
      const faults: unknown[] = [];
      let tables = 0;
      for (const search of placesOf("periodo=mes-passado")) {
        await navigate(page, search);
        const found = await look();
        tables += found.length;
        for (const [small, edges, shown] of found)
          if (small > 0 || edges > 1 || shown > 0) faults.push([search, { small, edges, shown }]);
      }
      expect(faults).toEqual([]);
      expect(tables).toBeGreaterThan(15);
      await navigate(page, "?lista=atendimentos&periodo=mes-passado");
      const row = page.locator("tbody tr").first();
      const hidden = row.locator("td:not(.main, .below)").first();
      expect(await hidden.isVisible()).toBe(false);
      const { width: end = 0 } = (await row.boundingBox()) ?? {};
      for (const isOpen of [true, false]) {
        await row.tap({ position: { x: end - 60, y: 20 }, force: true });
        await expect.poll(() => hidden.isVisible()).toBe(isOpen);
        expect(await row.locator(".row-more").getAttribute("aria-expanded")).toBe(String(isOpen));
      }
    },
  );

  it("is centred on a wide desktop, which has the parts that are opened most at its side (A2)", async () => {
    const { page } = await openPanel("", { viewport: { width: 1920, height: 1080 } });
    const gaps = await page.evaluate<[left: number, right: number]>(
      `(() => {
        const box = document.querySelector("#conteudo .card").parentElement.getBoundingClientRect();
        return [box.left - document.querySelector(".tabs").getBoundingClientRect().right, innerWidth - box.right];
      })()`,
    );
    expect(Math.abs(gaps[0] - gaps[1]), String(gaps)).toBeLessThan(2);
    const side = page.getByRole("navigation", { name: "Seções" });
    for (const name of ["Clientes", "Serviços", "Produtos", "Horários"])
      expect(await side.getByRole("link", { name }).isVisible(), name).toBe(true);
    expect(await side.textContent()).toContain("Painel dos salões");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await side.getByRole("link").filter({ visible: true }).count()).toBe(5);
  });

  it("has no row of periods where nothing depends on it (A2)", async () => {
    const { page } = await openPanel("?aba=mais&periodo=ano");
    const periods = page.getByRole("navigation", { name: "Período" });
    const shows = async (part: string) => {
      await navigate(page, `?aba=mais&parte=${part}&periodo=ano`);
      return periods.isVisible();
    };
    expect(await periods.isVisible()).toBe(false);
    expect([await shows("rotinas"), await shows("sem-centro"), await shows("servicos")]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("does not move for a reader who wants less motion (A2)", async () => {
    const { page } = await openPanel("", { reducedMotion: "reduce" });
    const look = () =>
      page.evaluate<string[][]>(
        "[document.getAnimations().filter((one) => one.effect.target?.id !== 'not-loaded').map(String)]",
      );
    expect(await faultsIn(page, placesOf().slice(0, 8), look)).toEqual([]);
  });

  it.each(SIZES.slice(1, 4))(
    "prints all rows of a table, in light colours, from $width px (A2)",
    async (viewport) => {
      const { page } = await openPanel("?periodo=ano&aba=equipe", { viewport, colorScheme: "dark" });
      const rows = tableOf(page, "Profissionais").locator("tbody tr");
      const all = await rows.count();
      expect(await rows.filter({ visible: true }).count()).toBeLessThan(all);
      await page.emulateMedia({ media: "print" });
      expect(await rows.filter({ visible: true }).count()).toBe(all);
      expect(await page.locator("nav:visible, dialog:visible, button:not(thead *):visible").count()).toBe(0);
      expect(await page.locator(".print-head:visible h2").textContent()).toBe("Equipe · Todas as unidades");
      expect(await page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")).toBe(
        "rgb(255, 255, 255)",
      );
      // A phone prints on the same paper.
      if (viewport.width > 700) expect(await overflowing(page)).toEqual([]);
      const sheet = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      expect(sheet.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(Math.ceil(all / 40));
    },
  );
});

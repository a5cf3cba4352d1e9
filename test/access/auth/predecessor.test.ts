// @module-tag server
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { keyRing } from "../../../src/access/auth/keys.ts";
import { openRefreshToken } from "../../../src/access/auth/refresh-token.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import { createClient } from "../../support/worker/client.ts";
import { wait } from "../../support/worker/clock.ts";
import { SESSION_KINDS } from "../../support/worker/session-kinds.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 1440 * MINUTE;

/** The refresh token after a renewal; undefined if it was refused. */
type Renew = (refreshToken: string) => Promise<string | undefined>;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

describe.each(["browser", "oauth"] as const)(
  "the token before the live one, of a session of kind %s",
  (kind) => {
    const { open: signIn, renew, tokenIn, refusal } = SESSION_KINDS[kind];
    /** Each of these has an address of its own. */
    const renewerAt = (): Renew => {
      const client = createClient();
      return async (token) => {
        const response = await renew(token, client);
        expect(response.status).toBeOneOf([200, refusal]);
        return response.status === 200 ? tokenIn(response) : undefined;
      };
    };
    const [owner, thief] = [renewerAt(), renewerAt()];
    const expectEnded = async (...tokens: string[]) => {
      for (const token of tokens) expect(await renewerAt()(token)).toBeUndefined();
    };
    /** Renews and returns the next token. */
    const renewed = async (token: string, renew = owner): Promise<string> => {
      const next = await renew(token);
      expect(next).toBeTypeOf("string");
      return next as string;
    };

    it("is answered with the live one for 60 seconds, from any address (A12, A14)", async () => {
      const first = await signIn();
      const second = await renewed(first);
      for (const renew of [owner, thief]) expect(await renewed(first, renew)).toBe(second);
      wait(59 * SECOND);
      expect(await renewed(first)).toBe(second);
      expect(await renewed(second)).not.toBe(second);
    });

    it("ends the session after 60 seconds, however often it was answered before (A12, A14)", async () => {
      const first = await signIn();
      const second = await renewed(first);
      wait(50 * SECOND);
      await renewed(first);
      wait(11 * SECOND);
      await expectEnded(first, second);
    });

    it("ends the session once the live one was used, even within 60 seconds (A12, A14)", async () => {
      const first = await signIn();
      const third = await renewed(await renewed(first));
      await expectEnded(first, third);
    });

    it("ends the session after its own seven days (A7, A12, A14)", async () => {
      const first = await signIn();
      wait(7 * DAY - 30 * SECOND);
      const second = await renewed(first);
      wait(40 * SECOND);
      await expectEnded(first, second);
    });

    it("ends the session after 60 seconds, without the leniency of other sessions (A6, A12, A14)", async () => {
      const first = await signIn();
      const keys = keyRing(settingsOf(env).TOKEN_KEYS);
      const { user } = (await openRefreshToken(keys, kind, first)) ?? {};
      const setLeniency = (seconds: number) =>
        runInDurableObject(env.SESSIONS.getByName(`user:${user}`), (sessions) => {
          Object.assign(sessions, { env: { ...env, REFRESH_LENIENCY_SECONDS: seconds } });
        });
      await setLeniency(600);
      onTestFinished(() => setLeniency(10));
      const second = await renewed(first);
      wait(61 * SECOND);
      expect(await owner(first)).toBeUndefined();
      await expectEnded(second);
    });

    it("keeps the session if the answer to a renewal is lost, and the renewal is repeated in time (A12, A14)", async () => {
      let token = await signIn();
      for (let round = 0; round < 5; round += 1) {
        await owner(token);
        wait(40 * SECOND);
        token = await renewed(token);
        wait(15 * MINUTE);
      }
    });

    it("keeps the session of parallel tabs, whose answers arrive in any order (A12, A14)", async () => {
      let token = await signIn();
      for (let round = 0; round < 5; round += 1) {
        const presented = token;
        const answers = await Promise.all(Array.from({ length: 10 }, () => renewed(presented)));
        expect(new Set(answers).size).toBe(1);
        token = answers[0] ?? "";
        wait(15 * MINUTE);
      }
    });

    it.each([
      ["before its owner", [thief, owner]],
      ["after its owner", [owner, thief]],
    ])(
      "ends a session whose thief uses the stolen token %s, at the owner's next renewal (A12, A14)",
      async (_, turns) => {
        const newest = new Map(turns.map((renew) => [renew, ""]));
        const stolen = await renewed(await signIn());
        for (const renew of turns) newest.set(renew, stolen);
        // Each sends the newest token it has, in turn.
        for (const renew of turns) {
          const next = await renew(newest.get(renew) ?? "");
          newest.set(renew, next ?? newest.get(renew) ?? "");
          wait(7 * MINUTE);
        }
        expect(await owner(newest.get(owner) ?? "")).toBeUndefined();
        await expectEnded(...newest.values());
      },
    );

    it("is answered as the rule says, for any turns of two holders (A12, A14)", async () => {
      const turns = fc.array(
        fc.record({
          holder: fc.constantFrom(0, 1),
          gap: fc.constantFrom(0, 30 * SECOND, 59 * SECOND, 61 * SECOND, 15 * MINUTE, DAY),
        }),
        { minLength: 2, maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(turns, async (steps) => {
          // Tokens by generation; the last one is live.
          const tokens = [await signIn()];
          const held = [0, 0];
          let [issuedAt, hasEnded] = [Date.now(), false];
          for (const { holder, gap } of steps) {
            wait(gap);
            const presented = held[holder] ?? 0;
            const live = tokens.length - 1;
            const isLive = presented === live;
            hasEnded ||= !(isLive || (presented === live - 1 && Date.now() - issuedAt < MINUTE));
            const answer = await [owner, thief][holder]?.(tokens[presented] ?? "");
            if (hasEnded) {
              expect(answer).toBeUndefined();
              continue;
            }
            if (isLive) {
              expect(tokens).not.toContain(answer);
              tokens.push(answer ?? "");
              issuedAt = Date.now();
            } else expect(answer).toBe(tokens[live]);
            held[holder] = tokens.length - 1;
          }
        }),
        { numRuns: 15 },
      );
    });
  },
);

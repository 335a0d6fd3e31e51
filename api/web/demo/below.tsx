import { useEffect, useState } from "react";
import type { Person } from "./person.ts";
import { t } from "./texts.ts";
import { clockTime } from "./time.ts";

/** What happens behind the phones, foldable. */
export const Below = ({ people }: { people: readonly Person[] }) => (
  <aside className="below" aria-label={t("Behind the scenes")}>
    <EventStream people={people} />
    <Ledger people={people} />
  </aside>
);

interface Line {
  readonly key: string;
  readonly at: number;
  readonly event: string;
  readonly seq: number | undefined;
  readonly payload: unknown;
  readonly to: readonly string[];
}

const linesMax = 100;

/** Adds an event. One of a room that the other person has received, too, gets their name only. */
function withEvent(lines: readonly Line[], username: string, event: string, payload: unknown): readonly Line[] {
  const { seq, room_id } = payload as { seq?: number; room_id?: string };
  const same = seq === undefined ? undefined : lines.find(({ key }) => key === `${room_id} ${seq} ${event}`);
  // Received again after a gap, it stays where it is.
  if (same?.to.includes(username)) return lines;
  if (same) return lines.map((line) => (line === same ? { ...line, to: [...line.to, username] } : line));
  const key = seq === undefined ? `${Math.random()}` : `${room_id} ${seq} ${event}`;
  return [{ key, at: Date.now(), event, seq, payload, to: [username] }, ...lines].slice(0, linesMax);
}

function EventStream({ people }: { people: readonly Person[] }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    const offs = people.map(({ hubbub, login }) =>
      hubbub.onAny((event, payload) => setLines((all) => withEvent(all, login.username, event, payload))),
    );
    return () => {
      for (const off of offs) off();
    };
  }, [people]);
  return (
    <details open className="panel">
      <summary>
        {t("Live events")}{" "}
        <small>{lines.length === 0 ? t("none yet") : t("the last {{count}}", { count: lines.length })}</small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="lines" aria-label={t("Live events")} tabIndex={0}>
        {lines.map(({ key, at, event, seq, payload, to }) => (
          <details key={key} className="line">
            <summary>
              <time>{clockTime(at)}</time>
              <span className="seq">{seq === undefined ? "" : `seq ${seq}`}</span>
              <code>{event}</code>
              <span className="who">
                {to.map((name) => (
                  <i key={name}>{name}</i>
                ))}
              </span>
            </summary>
            <pre>{JSON.stringify(payload, null, 2)}</pre>
          </details>
        ))}
        {lines.length === 0 && <p className="quiet">{t("Enter a room, say something, or send a gift.")}</p>}
      </section>
    </details>
  );
}

/** A ledger transaction as `/demo/ledger.json` has it. */
interface Transaction {
  readonly id: string;
  readonly description: string;
  readonly created_at: string;
  readonly entries: readonly {
    readonly account: string;
    readonly type: string;
    readonly amount: number;
    readonly balance_after: number | null;
  }[];
}

function Ledger({ people }: { people: readonly Person[] }) {
  const [items, setItems] = useState<readonly Transaction[]>([]);
  useEffect(() => {
    const load = async () => {
      const response = await fetch("/demo/ledger.json").catch(() => undefined);
      if (response?.ok) setItems(((await response.json()) as { items: Transaction[] }).items);
    };
    void load();
    const seen = people.map(({ state }) => state.balance);
    const offs = people.map((person, index) =>
      person.subscribe(() => {
        if (seen[index] === person.state.balance) return;
        seen[index] = person.state.balance;
        void load();
      }),
    );
    return () => {
      for (const off of offs) off();
    };
  }, [people]);
  return (
    <details open className="panel">
      <summary>
        {t("Ledger")} <small>{t("each transaction adds up to zero")}</small>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="lines" aria-label={t("Ledger")} tabIndex={0}>
        {items.map(({ id, description, created_at, entries }) => (
          <div key={id} className="movement">
            <p>
              <time>{clockTime(created_at)}</time> <b>{description}</b>
            </p>
            <ul>
              {entries.map(({ account, type, amount, balance_after }) => (
                <li key={`${account} ${type} ${amount}`}>
                  <code>{account}</code>
                  <span>{type}</span>
                  <b className={amount > 0 ? "credit" : "debit"} dir="ltr">
                    {amount > 0 ? `+${amount}` : `−${-amount}`}
                  </b>
                  <small>{balance_after === null ? "" : t("now {{balance}}", { balance: balance_after })}</small>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
    </details>
  );
}

import type { FormEvent } from "react";
import type { HeldContent, Sanction } from "../../../shared/client/client.ts";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { currentLanguage, key, t } from "./texts.ts";

/** Milliseconds for which a decision stays in view. */
const newsMs = 600_000;
const isNews = (time: string | null): boolean => time !== null && Date.now() - Date.parse(time) < newsMs;

/** What the service has to tell: terms to accept, sanctions and appeals, and what is held. Another key loads again. */
export function Standing() {
  const person = usePerson();
  const { terms, sanctions, held } = person.hubbub;
  const { data, reload } = useLoaded(async () => {
    const { version, accepted } = await terms.get();
    const due = version === accepted ? null : version;
    const [taken, waiting] = await Promise.all([sanctions.list(), due === null ? held.list() : []]);
    return {
      due,
      taken: taken.filter(
        ({ status, kinds, acknowledged_at, appeal }) =>
          isNews(appeal?.decided_at ?? null) || (status === "active" && (kinds.length > 0 || !acknowledged_at)),
      ),
      waiting: waiting.filter(({ status, decided_at }) => status === "held" || isNews(decided_at)).slice(0, 3),
    };
  });
  useEvents(["notification:new", "content:decided"], reload);
  if (!data || (data.due === null && data.taken.length + data.waiting.length === 0)) return null;
  const due = data.due ?? null;
  const accept = async (version: string) => {
    if (!(await person.attempt(() => terms.accept(version)))) return;
    reload();
    await person.refresh();
  };
  return (
    <section className="standing" aria-label={t("From the moderators to {{name}}", { name: person.login.full_name })}>
      {due !== null && (
        <div>
          <p>{t("The terms have changed. Accept them to go on.")}</p>
          <a href="/terms" target="_blank" rel="noreferrer">
            {t("Terms")}
          </a>{" "}
          <a href="/guidelines" target="_blank" rel="noreferrer">
            {t("Guidelines")}
          </a>{" "}
          <button type="button" className="small primary" onClick={() => void accept(due)}>
            {t("Accept")}
          </button>
        </div>
      )}
      {data.taken.map((one) => (
        <Taken key={one.id} of={one} onChange={reload} />
      ))}
      {data.waiting.map(({ id, text, status }) => (
        <p key={id} className="held">
          “<bdi>{text}</bdi>” <small>{t(outcomes[status])}</small>
        </p>
      ))}
    </section>
  );
}

const outcomes: Readonly<Record<HeldContent["status"], string>> = {
  held: key("Held: others see it once it has been reviewed."),
  released: key("Released: others see it."),
  rejected: key("Refused: others don't see it."),
};

const names: Readonly<Record<Sanction["kinds"][number], string>> = {
  post: key("posts"),
  chat: key("chat in rooms"),
  mic: key("the microphone"),
  gift: key("gifts"),
  message: key("direct messages"),
  create_room: key("new rooms"),
  login: key("the app"),
};

const appeals = {
  open: key("Your appeal is being looked at."),
  upheld: key("Your appeal was rejected: {{answer}}"),
  overturned: key("Your appeal was successful: {{answer}}"),
};

/** A sanction or a warning: its reason and end, and an appeal or what became of it. */
function Taken({ of, onChange }: { of: Sanction; onChange: () => void }) {
  const person = usePerson();
  const { sanctions } = person.hubbub;
  const { id, kinds, reason, until, appeal, acknowledged_at } = of;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("text")).trim();
    if (text && (await person.attempt(() => sanctions.appeal(id, text)))) onChange();
  };
  const acknowledge = async () => {
    if (await person.attempt(() => sanctions.acknowledge(id))) onChange();
  };
  const end = until === null ? t("until it is lifted") : new Date(until).toLocaleString(currentLanguage());
  return (
    <div>
      <p>
        <b>
          {kinds.length === 0
            ? t("A warning")
            : t("You can't use: {{kinds}}", { kinds: kinds.map((kind) => t(names[kind])).join(", ") })}
        </b>{" "}
        “<bdi>{reason}</bdi>” {kinds.length > 0 && <small>{end}</small>}
      </p>
      {kinds.length === 0 && !acknowledged_at && (
        <button type="button" className="small" onClick={() => void acknowledge()}>
          {t("I have understood")}
        </button>
      )}
      {appeal ? (
        <p className="quiet">{t(appeals[appeal.status], { answer: appeal.answer ?? "" })}</p>
      ) : (
        <form className="field" onSubmit={(event) => void submit(event)}>
          <input name="text" placeholder={t("Why is it wrong?")} aria-label={t("Your appeal")} maxLength={2000} />
          <button type="submit" className="small">
            {t("Appeal")}
          </button>
        </form>
      )}
    </div>
  );
}

import { useEffect, useState } from "react";
import { type Language, languageNames } from "../languages.ts";
import { Below } from "./below.tsx";
import { PersonContext, usePersonState } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { OnePerson } from "./one-person.tsx";
import { type Login, Person } from "./person.ts";
import { Phone } from "./phone.tsx";
import { SignIn } from "./sign-in.tsx";
import { setLanguage, t, useLanguage } from "./texts.ts";

export interface Setup {
  readonly people: readonly Login[];
  /** The page's address for other devices; null if the service listens only on this machine. */
  readonly phone: string | null;
  /** Whether rooms have audio. */
  readonly voice: boolean;
  /** The plays that this service has. */
  readonly plays: readonly string[];
  /** The providers that have a stand-in. */
  readonly providers: readonly string[];
  /** Whether there is a stand-in for Apple's store. */
  readonly store: boolean;
}

let starting: Promise<{ setup: Setup; people: Person[] }> | undefined;

/** Logs the people in, once a page. */
async function start(): Promise<{ setup: Setup; people: Person[] }> {
  const response = await fetch("/demo/setup.json");
  const setup = (await response.json()) as Setup;
  const only = new URLSearchParams(location.search).get("as");
  const people = setup.people.filter(({ username }) => only === null || username === only);
  return { setup, people: people.map((login) => new Person(login)) };
}

export function Demo() {
  useLanguage();
  const [started, setStarted] = useState<Awaited<ReturnType<typeof start>>>();
  const [problem, setProblem] = useState("");
  const [shown, setShown] = useState(0);
  const [newcomer, setNewcomer] = useState<Person>();
  useEffect(() => {
    starting ??= start().then((found) => {
      for (const person of found.people)
        person.start().catch((error: Error) => person.say(`${error.message} ${t("Was the password changed?")}`, true));
      return found;
    });
    starting.then(setStarted, (error: Error) => setProblem(error.message));
  }, []);

  if (problem) return <Empty text={t("The service doesn't answer: {{problem}}", { problem })} />;
  if (!started) return <Empty text={t("Loading …")} />;
  const { setup } = started;
  const people = newcomer ? [newcomer] : started.people;
  if (people.length === 0)
    return <Empty text={t("There are no demo people in this database. Start the service with an empty DATA_DIR.")} />;
  return (
    <div className={people.length > 1 ? "demo" : "demo single"}>
      <Header people={people} setup={setup} onNewcomer={setNewcomer} />
      <main className="phones">
        {people.length > 1 && (
          <fieldset className="switch">
            <legend className="sr">{t("Whose phone")}</legend>
            {people.map(({ login }, index) => (
              <button key={login.username} type="button" aria-pressed={shown === index} onClick={() => setShown(index)}>
                {login.full_name}
              </button>
            ))}
          </fieldset>
        )}
        {people.map((person, index) => (
          <PersonContext key={person.login.username} value={person}>
            <Phone isShown={shown === index} setup={setup} />
          </PersonContext>
        ))}
      </main>
      <Below people={people} />
    </div>
  );
}

const Empty = ({ text }: { text: string }) => (
  <main className="empty-page">
    <h1>{t("Hubbub demo")}</h1>
    <p role="status">{text}</p>
  </main>
);

interface HeaderProps {
  readonly people: readonly Person[];
  readonly setup: Setup;
  readonly onNewcomer: (person: Person) => void;
}

function Header({ people, setup, onNewcomer }: HeaderProps) {
  const [isOpen, setOpen] = useState(false);
  const [isSigningIn, setSigningIn] = useState(false);
  return (
    <header className="top">
      <h1>
        <span className="logo" aria-hidden="true">
          <Icon name="wave" size={20} />
        </span>
        Hubbub
      </h1>
      <p>
        {people.length > 1
          ? t("Two people, one service. Everything here is live.")
          : t("You are {{name}}.", { name: people[0]!.login.full_name })}
      </p>
      {people.length > 1 ? <Gather people={people} /> : null}
      {people.length > 1 ? (
        <button type="button" className="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="phone" size={18} /> {t("Open as one person")}
        </button>
      ) : (
        <a className="button plain" href="/demo">
          {t("Side by side")}
        </a>
      )}
      <button type="button" className="plain" aria-expanded={isSigningIn} onClick={() => setSigningIn(!isSigningIn)}>
        {t("Log in")}
      </button>
      <LanguageSwitch people={people} />
      <a className="button plain docs" href="/docs">
        {t("Docs")}
      </a>
      {isOpen && <OnePerson setup={setup} onClose={() => setOpen(false)} />}
      {isSigningIn && <SignIn providers={setup.providers} onDone={onNewcomer} onClose={() => setSigningIn(false)} />}
    </header>
  );
}

/** Changes the language of the page, and of what the service sends these people. */
function LanguageSwitch({ people }: { people: readonly Person[] }) {
  const language = useLanguage();
  const choose = async (chosen: Language) => {
    await setLanguage(chosen);
    for (const person of people) void person.attempt(() => person.hubbub.users.update({ language: chosen }));
  };
  return (
    <select
      className="plain"
      aria-label={t("Language")}
      value={language}
      onChange={({ target }) => void choose(target.value as Language)}
    >
      {Object.entries(languageNames).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Puts everyone into the first person's room. */
function Gather({ people }: { people: readonly Person[] }) {
  const [first] = people as [Person];
  const states = [usePersonState(people[0]!), usePersonState(people[1]!)] as const;
  const areReady = states.every(({ me }) => me !== null);
  const isTogether = states[0].room !== null && states[0].room.id === states[1].room?.id;
  const gather = async () => {
    const mine = await first.hubbub.rooms.list({ limit: 50 });
    const own = mine.items.find(({ host }) => host.id === first.id) ?? mine.items[0];
    if (!own) return first.say(t("There is no room. Create one."), true);
    for (const person of people) await person.attempt(() => person.enter(own.id));
  };
  return (
    <button
      type="button"
      className="primary"
      disabled={isTogether || !areReady}
      onClick={() => void first.attempt(gather)}
    >
      {isTogether ? t("Both are in one room") : t("Put both in one room")}
    </button>
  );
}

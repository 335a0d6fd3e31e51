import { useEffect, useState } from "react";
import { Below } from "./below.tsx";
import { PersonContext, usePersonState } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { OnePerson } from "./one-person.tsx";
import { type Login, Person } from "./person.ts";
import { Phone } from "./phone.tsx";

export interface Setup {
  readonly people: readonly Login[];
  /** The page's address for other devices; null if the service listens only on this machine. */
  readonly phone: string | null;
  /** Whether rooms have audio. */
  readonly voice: boolean;
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
  const [started, setStarted] = useState<Awaited<ReturnType<typeof start>>>();
  const [problem, setProblem] = useState("");
  const [shown, setShown] = useState(0);
  useEffect(() => {
    starting ??= start().then((found) => {
      for (const person of found.people)
        person.start().catch((error: Error) => person.say(`${error.message} Was the password changed?`, true));
      return found;
    });
    starting.then(setStarted, (error: Error) => setProblem(error.message));
  }, []);

  if (problem) return <Empty text={`The service doesn't answer: ${problem}`} />;
  if (!started) return <Empty text="Loading …" />;
  const { people, setup } = started;
  if (people.length === 0)
    return <Empty text="There are no demo people in this database. Start the service with an empty DATA_DIR." />;
  return (
    <div className={people.length > 1 ? "demo" : "demo single"}>
      <Header people={people} setup={setup} />
      <main className="phones">
        {people.length > 1 && (
          <fieldset className="switch">
            <legend className="sr">Whose phone</legend>
            {people.map(({ login }, index) => (
              <button key={login.username} type="button" aria-pressed={shown === index} onClick={() => setShown(index)}>
                {login.full_name}
              </button>
            ))}
          </fieldset>
        )}
        {people.map((person, index) => (
          <PersonContext key={person.login.username} value={person}>
            <Phone isShown={shown === index} voice={setup.voice} />
          </PersonContext>
        ))}
      </main>
      <Below people={people} />
    </div>
  );
}

const Empty = ({ text }: { text: string }) => (
  <main className="empty-page">
    <h1>Hubbub demo</h1>
    <p role="status">{text}</p>
  </main>
);

function Header({ people, setup }: { people: readonly Person[]; setup: Setup }) {
  const [isOpen, setOpen] = useState(false);
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
          ? "Two people, one service. Everything here is live."
          : `You are ${people[0]?.login.full_name}.`}
      </p>
      {people.length > 1 ? <Gather people={people} /> : null}
      {people.length > 1 ? (
        <button type="button" className="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="phone" size={18} /> Open as one person
        </button>
      ) : (
        <a className="button plain" href="/demo">
          Side by side
        </a>
      )}
      <a className="button plain docs" href="/docs">
        Docs
      </a>
      {isOpen && <OnePerson setup={setup} onClose={() => setOpen(false)} />}
    </header>
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
    if (!own) return first.say("There is no room. Create one.", true);
    for (const person of people) await person.attempt(() => person.enter(own.id));
  };
  return (
    <button
      type="button"
      className="primary"
      disabled={isTogether || !areReady}
      onClick={() => void first.attempt(gather)}
    >
      {isTogether ? "Both are in one room" : "Put both in one room"}
    </button>
  );
}

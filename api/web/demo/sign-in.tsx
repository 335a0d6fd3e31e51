import { useState } from "react";
import { createClient, type Hubbub, isHubbubError, type Me } from "../../../shared/client/client.ts";
import { clientOf, Person } from "./person.ts";
import { Sheet } from "./sheet.tsx";
import { currentLanguage, key, t } from "./texts.ts";

interface SignInProps {
  readonly providers: readonly string[];
  readonly onDone: (person: Person) => void;
  readonly onClose: () => void;
}

type SignedIn = Promise<{ readonly user: Me }>;

/** Names the newcomer's phone, and their session in this browser. */
const username = "newcomer";

const titles = { google: key("Continue with Google"), apple: key("Continue with Apple") } as const;

/** Gets an ID token from the service's stand-in for a provider, as an app gets it from the provider's library. */
async function byToken(hubbub: Hubbub, provider: keyof typeof titles): SignedIn {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const response = await fetch(`/demo/id-token.json?${new URLSearchParams({ provider, nonce })}`);
  const { id_token } = (await response.json()) as { id_token: string };
  return hubbub.signIn[provider]({ id_token, nonce });
}

interface Kept {
  readonly id: string;
  readonly text: string;
}

/** Returns the newest text message to a number: the service keeps them instead of sending them. */
async function newestTo(mobile: string): Promise<Kept | undefined> {
  const response = await fetch(`/dev/outbox?${new URLSearchParams({ format: "json", to: mobile })}`);
  return ((await response.json()) as { data: { items: readonly Kept[] } }).data.items[0];
}

/** Requests a code, and returns the message with it. */
async function requestCode(mobile: string): Promise<string> {
  const before = await newestTo(mobile);
  await createClient({ language: currentLanguage }).signIn.phoneCode(mobile);
  for (let tries = 0; tries < 40; tries += 1) {
    const newest = await newestTo(mobile);
    if (newest && newest.id !== before?.id) return newest.text;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return "";
}

/** The ways to log in besides a password, each without an account elsewhere. */
export function SignIn({ providers, onDone, onClose }: SignInProps) {
  const [problem, setProblem] = useState("");
  const [mobile, setMobile] = useState("+919876543210");
  const [message, setMessage] = useState<string>();

  const attempt = async (work: () => Promise<unknown>) => {
    setProblem("");
    await work().catch((error: unknown) => {
      if (!isHubbubError(error)) throw error;
      setProblem(error.message);
    });
  };
  const logIn = (way: (hubbub: Hubbub) => SignedIn) =>
    attempt(async () => {
      const hubbub = clientOf(username);
      const { user } = await way(hubbub);
      const person = new Person({ username, password: "", full_name: user.full_name || user.username }, hubbub);
      onDone(person);
      onClose();
      await person.start();
    });
  const sendCode = () =>
    attempt(async () => {
      setMessage(undefined);
      setMessage(await requestCode(mobile));
    });

  return (
    <div className="one-person">
      <Sheet level="h2" title={t("Log in another way")} onClose={onClose}>
        <p>
          {t("No account elsewhere is needed: the service stands in for the providers, and shows text messages here.")}
        </p>
        <div className="row">
          {(["google", "apple"] as const)
            .filter((provider) => providers.includes(provider))
            .map((provider) => (
              <button key={provider} type="button" onClick={() => void logIn((hubbub) => byToken(hubbub, provider))}>
                {t(titles[provider])}
              </button>
            ))}
          <button type="button" onClick={() => void logIn((hubbub) => hubbub.signIn.guest())}>
            {t("Continue as a guest")}
          </button>
        </div>
        <form
          className="form row"
          onSubmit={(event) => {
            event.preventDefault();
            void sendCode();
          }}
        >
          <label>
            {t("Mobile number")}{" "}
            <input type="tel" value={mobile} required onChange={({ target }) => setMobile(target.value)} />
          </label>
          <button type="submit">{t("Send a code")}</button>
        </form>
        {message !== undefined && (
          <form
            className="form row"
            onSubmit={(event) => {
              event.preventDefault();
              const code = String(new FormData(event.currentTarget).get("code"));
              void logIn((hubbub) => hubbub.signIn.phone({ mobile, code }));
            }}
          >
            <p className="quiet">{message}</p>
            <label>
              {t("Code")} <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
            </label>
            <button type="submit" className="primary">
              {t("Log in")}
            </button>
          </form>
        )}
        {problem && <p role="alert">{problem}</p>}
      </Sheet>
    </div>
  );
}

import type { Rest } from "./rest.ts";
import type { LoggedIn, Me, Operations } from "./social.generated.ts";

type Body<Op extends keyof Operations> = Operations[Op] extends { body?: infer B } ? NonNullable<B> : never;

/** What the ways to log in need of the client. */
interface SignInPorts {
  readonly request: Rest<Operations>["request"];
  /** Begins the session of a user, and connects. */
  readonly started: (loggedIn: LoggedIn) => Promise<Me>;
  /** Replaces the tokens. */
  readonly renew: () => Promise<unknown>;
}

/** The ways to log in besides a password. Each logs in, or registers an account, and connects. */
export function signInOf({ request, started, renew }: SignInPorts) {
  /** Returns the answer without its tokens, which the session keeps. */
  async function begun<A extends LoggedIn>({ accessToken, refreshToken, ...answer }: A) {
    await started({ accessToken, refreshToken, user: answer.user });
    return answer;
  }

  return {
    /** Logs in by an ID token of Google. `is_new` says whether it registered an account. @throws HubbubError */
    google: async (body: Body<"logInWithGoogle">) => begun(await request("logInWithGoogle", { body })),
    apple: async (body: Body<"logInWithApple">) => begun(await request("logInWithApple", { body })),
    facebook: async (body: Body<"logInWithFacebook">) => begun(await request("logInWithFacebook", { body })),
    /** Logs in by an ID token of another provider that the operator has configured. */
    oidc: async (provider: string, body: Body<"logInWithProvider">) =>
      begun(await request("logInWithProvider", { params: { provider }, body })),
    /** Sends a code to a number, for `phone`. */
    phoneCode: (mobile: string) => request("requestPhoneCode", { body: { mobile } }),
    phone: async (body: Body<"logInByPhone">) => begun(await request("logInByPhone", { body })),
    /** Registers a guest, or logs one in by their secret. Store `guest_secret`: it is returned once. */
    guest: async (body: Body<"logInAsGuest"> = {}) => begun(await request("logInAsGuest", { body })),
    /** Links a way to log in to the user's account, which makes a guest a user. */
    link: async (provider: string, body: Body<"linkIdentity">) => {
      const linked = await request("linkIdentity", { params: { provider }, body });
      // Access tokens name guests.
      await renew();
      return linked;
    },
  };
}

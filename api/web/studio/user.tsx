import { Button } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { Me } from "../../../shared/client/client.ts";
import { Failure, Loading } from "../admin/parts/async.tsx";
import { queries } from "../admin/reads.ts";
import { SignIn } from "../admin/sign-in.tsx";
import { t } from "../admin/texts.ts";
import { hubbub } from "./data.ts";
import { PhoneSignIn } from "./phone-sign-in.tsx";

const UserContext = createContext<Me | null>(null);

/** Shows the studio to a user who is logged in, and the login to others, at any address. */
export function WithUser({ children }: { readonly children: ReactNode }) {
  const [user, setUser] = useState<Me | null>();
  const [hasExpired, setHasExpired] = useState(false);
  const [error, setError] = useState<Error>();
  const restore = () => {
    setError(undefined);
    hubbub.restore().then(setUser, setError);
  };
  useEffect(restore, []);
  useEffect(
    () =>
      hubbub.on("logout", ({ reason }) => {
        setHasExpired(reason !== "LOGGED_OUT");
        setUser(null);
        queries.clear();
      }),
    [],
  );
  // A gift, an invitation, a payout: what is shown may have changed.
  useEffect(() => hubbub.on("notification:new", () => void queries.invalidateQueries()), []);

  if (error) return <Failure error={error} onRetry={restore} />;
  if (user === undefined) return <Loading />;
  if (user === null) return <AnySignIn hasExpired={hasExpired} onDone={() => setUser(hubbub.user)} />;
  return <UserContext value={user}>{children}</UserContext>;
}

/** The login by a password, or by a code to a phone. */
function AnySignIn(props: { readonly hasExpired: boolean; readonly onDone: () => void }) {
  const [isByPhone, setIsByPhone] = useState(false);
  const other = (
    <Button variant="subtle" onClick={() => setIsByPhone(!isByPhone)}>
      {t(isByPhone ? "sign_in.by_password" : "sign_in.by_phone")}
    </Button>
  );
  if (isByPhone) return <PhoneSignIn {...props} other={other} />;
  return (
    <SignIn
      lead={t("studio.lead")}
      label={t("studio.identifier")}
      isEmail={false}
      logIn={({ name, ...rest }) => hubbub.login({ identifier: name, ...rest })}
      other={other}
      {...props}
    />
  );
}

/** The user who is logged in. */
export function useUser(): Me {
  const user = useContext(UserContext);
  if (!user) throw new Error("the studio is shown to users");
  return user;
}

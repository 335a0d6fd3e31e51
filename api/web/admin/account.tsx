import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { AdminAccount } from "../../../shared/client/admin.ts";
import type { Permission } from "./api.ts";
import { admin } from "./client.ts";
import { queries, useRead } from "./data.ts";
import { Failure, Loading } from "./parts/async.tsx";
import { SignIn } from "./sign-in.tsx";
import { t } from "./texts.ts";

const AccountContext = createContext<AdminAccount | null>(null);

/** Shows the console to an administrator who is logged in, and the login to others, at any address. */
export function WithAccount({ children }: { readonly children: ReactNode }) {
  const [isIn, setIsIn] = useState<boolean>();
  const [hasExpired, setHasExpired] = useState(false);
  useEffect(() => void admin.isLoggedIn().then(setIsIn), []);
  useEffect(
    () =>
      admin.on("logout", ({ reason }) => {
        setHasExpired(reason !== "LOGGED_OUT");
        setIsIn(false);
        queries.clear();
      }),
    [],
  );
  const account = useRead("getAdminAccount", {}, { enabled: isIn === true });

  if (isIn === undefined) return <Loading />;
  if (!isIn)
    return (
      <SignIn
        lead={t("sign_in.lead")}
        label={t("sign_in.email")}
        isEmail
        hasExpired={hasExpired}
        logIn={({ name, ...rest }) => admin.login({ email: name, ...rest })}
        onDone={() => setIsIn(true)}
      />
    );
  if (account.error && !account.data) return <Failure error={account.error} onRetry={account.refetch} />;
  if (!account.data) return <Loading />;
  return <AccountContext value={account.data}>{children}</AccountContext>;
}

/** The administrator who is logged in. */
export function useAccount(): AdminAccount {
  const account = useContext(AccountContext);
  if (!account) throw new Error("the console is shown to administrators");
  return account;
}

/** Returns whether the administrator has a permission. `none`: it concerns only their own account. */
export function useCan(): (permission: Permission) => boolean {
  const permissions: readonly Permission[] = useAccount().permissions;
  return (permission) => permission === "none" || permissions.includes(permission);
}

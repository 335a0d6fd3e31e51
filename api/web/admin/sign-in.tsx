import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { isHubbubError } from "../../../shared/client/errors.ts";
import { Brand } from "./parts/brand.tsx";
import { t } from "./texts.ts";

interface FrameProps {
  readonly lead: string;
  readonly hasExpired: boolean;
  /** What the button says that sends the form. */
  readonly action: string;
  /** Sends what was given. Returns whether the user is logged in. What it throws is shown. */
  readonly send: (textOf: (name: string) => string) => Promise<boolean>;
  readonly onDone: () => void;
  readonly children: ReactNode;
  /** Below the button. */
  readonly other?: ReactNode;
}

/** The form of a login. */
export function SignInFrame({ lead, hasExpired, action, send, onDone, children, other }: FrameProps) {
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setIsBusy(true);
    setError(undefined);
    try {
      if (await send((name) => String(given.get(name) ?? ""))) return onDone();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setIsBusy(false);
  };

  return (
    <main className="sign-in">
      <Paper component="form" withBorder shadow="sm" radius="lg" p="xl" w="100%" maw={400} onSubmit={submit}>
        <Stack gap="md">
          <Brand />
          <div>
            <Title order={1} size="h3">
              {t("sign_in.title")}
            </Title>
            <Text c="dimmed" size="sm">
              {lead}
            </Text>
          </div>
          {hasExpired && !error && (
            <Alert color="yellow" role="status">
              {t("sign_in.expired")}
            </Alert>
          )}
          {error && (
            <Alert color="red" role="alert">
              {error}
            </Alert>
          )}
          {children}
          <Button type="submit" loading={isBusy} fullWidth>
            {action}
          </Button>
          {other}
        </Stack>
      </Paper>
    </main>
  );
}

interface Given {
  readonly name: string;
  readonly password: string;
  /** Of the second factor. */
  readonly code?: string;
}

interface Props extends Pick<FrameProps, "lead" | "hasExpired" | "onDone" | "other"> {
  /** What names the account, and whether that is an email address. */
  readonly label: string;
  readonly isEmail: boolean;
  readonly logIn: (given: Given) => Promise<unknown>;
}

/** The login by a password. The code of the second factor is asked for if the account has one. */
export function SignIn({ lead, label, isEmail, hasExpired, logIn, ...rest }: Props) {
  const [needsCode, setNeedsCode] = useState(false);

  const send = async (textOf: (name: string) => string) => {
    const code = textOf("code").trim();
    try {
      await logIn({ name: textOf("name").trim(), password: textOf("password"), ...(code && { code }) });
      return true;
    } catch (failure) {
      if (!isHubbubError(failure, "MFA_REQUIRED") || needsCode) throw failure;
      setNeedsCode(true);
      return false;
    }
  };

  return (
    <SignInFrame
      lead={needsCode ? t("sign_in.code_lead") : lead}
      hasExpired={hasExpired && !needsCode}
      action={t("sign_in.submit")}
      send={send}
      {...rest}
    >
      <TextInput
        name="name"
        type={isEmail ? "email" : "text"}
        autoComplete="username"
        autoCapitalize="none"
        label={label}
        required
        withAsterisk={false}
        autoFocus
      />
      <PasswordInput
        name="password"
        autoComplete="current-password"
        label={t("sign_in.password")}
        required
        withAsterisk={false}
      />
      {needsCode && (
        <TextInput
          name="code"
          autoComplete="one-time-code"
          label={t("sign_in.code")}
          description={t("sign_in.code_hint")}
          required
          withAsterisk={false}
          autoFocus
        />
      )}
    </SignInFrame>
  );
}

import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { isHubbubError } from "../../../shared/client/errors.ts";
import { Brand } from "./parts/brand.tsx";
import { t } from "./texts.ts";

interface Given {
  readonly name: string;
  readonly password: string;
  /** Of the second factor. */
  readonly code?: string;
}

interface Props {
  /** For whom it is. */
  readonly lead: string;
  /** What names the account, and whether that is an email address. */
  readonly label: string;
  readonly isEmail: boolean;
  readonly hasExpired: boolean;
  readonly logIn: (given: Given) => Promise<unknown>;
  readonly onDone: () => void;
}

/** The login. The code of the second factor is asked for if the account has one. */
export function SignIn({ lead, label, isEmail, hasExpired, logIn, onDone }: Props) {
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const textOf = (name: string) => String(given.get(name) ?? "").trim();
    setIsBusy(true);
    setError(undefined);
    try {
      const code = textOf("code");
      await logIn({ name: textOf("name"), password: String(given.get("password")), ...(code && { code }) });
      onDone();
    } catch (failure) {
      if (isHubbubError(failure, "MFA_REQUIRED") && !needsCode) setNeedsCode(true);
      else setError(failure instanceof Error ? failure.message : String(failure));
      setIsBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <Paper component="form" withBorder shadow="sm" radius="lg" p="xl" w="100%" maw={400} onSubmit={send}>
        <Stack gap="md">
          <Brand />
          <div>
            <Title order={1} size="h3">
              {t("sign_in.title")}
            </Title>
            <Text c="dimmed" size="sm">
              {needsCode ? t("sign_in.code_lead") : lead}
            </Text>
          </div>
          {hasExpired && !needsCode && !error && (
            <Alert color="yellow" role="status">
              {t("sign_in.expired")}
            </Alert>
          )}
          {error && (
            <Alert color="red" role="alert">
              {error}
            </Alert>
          )}
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
          <Button type="submit" loading={isBusy} fullWidth>
            {t("sign_in.submit")}
          </Button>
        </Stack>
      </Paper>
    </main>
  );
}

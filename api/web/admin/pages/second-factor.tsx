import { Alert, Button, Code, Group, Paper, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAccount } from "../account.tsx";
import { type DataOf, useWrite } from "../data.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { toast } from "../parts/toast.ts";
import { t } from "../texts.ts";
import "./pages.css";

/** The administrator's second factor: set it up with an authenticator app, or disable it. */
export default function SecondFactor() {
  const { mfa_enabled } = useAccount();
  const [enrollment, setEnrollment] = useState<DataOf<"enrollSecondFactor">>();
  const [codes, setCodes] = useState<readonly string[]>();
  const keep = (found: readonly string[]) => {
    setEnrollment(undefined);
    setCodes(found);
  };
  return (
    <>
      <PageTitle title={t("second_factor.title")} lead={t("second_factor.lead")} />
      <Paper withBorder p="md" maw={640}>
        {codes ? (
          <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
        ) : mfa_enabled ? (
          <Disable />
        ) : enrollment ? (
          <Confirm enrollment={enrollment} onDone={keep} />
        ) : (
          <Begin onDone={setEnrollment} />
        )}
      </Paper>
    </>
  );
}

interface FormProps {
  readonly action: string;
  readonly isPending: boolean;
  readonly isDanger?: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

function Form({ action, isPending, isDanger = false, onSubmit, children }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack align="flex-start">
        {children}
        <Button type="submit" loading={isPending} {...(isDanger && { color: "red" })}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}

function Begin({ onDone }: { readonly onDone: (enrollment: DataOf<"enrollSecondFactor">) => void }) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string>();
  const enroll = useWrite("enrollSecondFactor", { onSuccess: onDone, onError: ({ message }) => setError(message) });
  return (
    <Form
      action={t("second_factor.begin")}
      isPending={enroll.isPending}
      onSubmit={() => enroll.mutate({ body: { password } })}
    >
      <Text>{t("second_factor.explain")}</Text>
      <PasswordInput
        w="100%"
        label={t("second_factor.password")}
        autoComplete="current-password"
        required
        value={password}
        error={error}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </Form>
  );
}

interface CodeProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (code: string) => void;
  readonly hint?: string;
}

const CodeInput = ({ value, error, onChange, hint }: CodeProps) => (
  <TextInput
    w="100%"
    label={t("second_factor.code")}
    description={hint}
    autoComplete="one-time-code"
    required
    value={value}
    error={error}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

interface ConfirmProps {
  readonly enrollment: DataOf<"enrollSecondFactor">;
  readonly onDone: (codes: readonly string[]) => void;
}

/** The QR code comes with the answer, as a data URL: no other server learns the secret. */
function Confirm({ enrollment: { qr_code, secret }, onDone }: ConfirmProps) {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const confirm = useWrite("confirmSecondFactor", {
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
    onError: ({ message }) => setError(message),
  });
  return (
    <Form
      action={t("second_factor.confirm")}
      isPending={confirm.isPending}
      onSubmit={() => confirm.mutate({ body: { code: code.trim() } })}
    >
      <Text>{t("second_factor.scan")}</Text>
      <img className="qr" src={qr_code} width={200} height={200} alt={t("second_factor.qr")} />
      <Text size="sm">
        {t("second_factor.by_hand")} <Code>{secret}</Code>
      </Text>
      <CodeInput value={code} error={error} onChange={setCode} />
    </Form>
  );
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const copy = async () => {
    await navigator.clipboard.writeText(codes.join("\n"));
    toast.done(t("second_factor.copied"));
  };
  return (
    <Stack align="flex-start">
      <Alert color="teal" title={t("second_factor.enabled")} role="status">
        {t("second_factor.keep_codes")}
      </Alert>
      <ul className="rows" aria-label={t("second_factor.recovery_codes")}>
        {codes.map((code) => (
          <li key={code}>
            <Code>{code}</Code>
          </li>
        ))}
      </ul>
      <Group>
        <Button variant="default" onClick={() => void copy()}>
          {t("second_factor.copy")}
        </Button>
        <Button onClick={onDone}>{t("second_factor.kept")}</Button>
      </Group>
    </Stack>
  );
}

function Disable() {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const disable = useWrite("disableSecondFactor", {
    onSuccess: () => toast.done(t("second_factor.disabled")),
    onError: ({ message }) => setError(message),
  });
  return (
    <Form
      action={t("second_factor.disable")}
      isPending={disable.isPending}
      isDanger
      onSubmit={() => disable.mutate({ body: { code: code.trim() } })}
    >
      <Text>{t("second_factor.is_enabled")}</Text>
      <CodeInput value={code} error={error} onChange={setCode} hint={t("second_factor.code_hint")} />
    </Form>
  );
}

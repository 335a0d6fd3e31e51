import { Button, Group, Modal, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState, useSyncExternalStore } from "react";
import { t } from "../texts.ts";
import { type Period, PeriodInput, usualPeriod } from "./period.tsx";

export interface Question {
  readonly title: string;
  /** What happens then, in words. */
  readonly consequence: string;
  /** The text of the button that does it. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** Whether it asks for a reason. */
  readonly reason?: "required" | "optional";
  /** Whether it asks what the user is told. */
  readonly asksTold?: boolean;
  /** Whether it asks for how long. */
  readonly hasPeriod?: boolean;
}

export type Answer = { readonly reason: string; readonly told: string; readonly period: Period } | null;

interface Open {
  readonly question: Question;
  readonly answer: (answer: Answer) => void;
}

let open: Open | undefined;
const listeners = new Set<() => void>();

function show(next: Open | undefined): void {
  open?.answer(null);
  open = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const confirm = (question: Question): Promise<Answer> =>
  new Promise((resolve) => {
    show({ question, answer: resolve });
  });

/** Returns a function that asks whether to do something. Null: no. */
export const useConfirm = () => confirm;

/** The dialog of `useConfirm`; once on a page. */
export function ConfirmDialog() {
  const current = useSyncExternalStore(subscribe, () => open);
  // The question stays while the dialog closes.
  const [last, setLast] = useState(current);
  if (current && current !== last) setLast(current);

  return (
    <Modal
      opened={current !== undefined}
      onClose={() => show(undefined)}
      title={last?.question.title}
      closeButtonProps={{ "aria-label": t("shell.close") }}
      centered
    >
      {last && <Ask key={last.question.title + String(current === undefined)} of={last} />}
    </Modal>
  );
}

function Ask({ of: { question, answer } }: { readonly of: Open }) {
  const { consequence, action, isDanger = false, reason, asksTold = false, hasPeriod } = question;
  const [typed, setTyped] = useState("");
  const [told, setTold] = useState("");
  const [period, setPeriod] = useState(usualPeriod);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer({ reason: typed.trim(), told: told.trim(), period });
    show(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Text size="sm" mb="md">
        {consequence}
      </Text>
      {hasPeriod && <PeriodInput value={period} onChange={setPeriod} />}
      {reason && (
        <Textarea
          label={t("confirm.reason")}
          required={reason === "required"}
          maxLength={200}
          mb="md"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {asksTold && (
        <Textarea
          label={t("confirm.told")}
          description={t("confirm.told_hint")}
          maxLength={500}
          mb="md"
          value={told}
          onChange={(event) => setTold(event.currentTarget.value)}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => show(undefined)}>
          {t("confirm.cancel")}
        </Button>
        <Button type="submit" color={isDanger ? "red" : "violet"} data-autofocus={reason ? undefined : true}>
          {action}
        </Button>
      </Group>
    </form>
  );
}

import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import i18next from "i18next";
import { type FormEvent, useState } from "react";
import { useApi } from "../api.ts";
import { FieldInput } from "../parts/field-input.tsx";
import { fieldsOf } from "../resources/schema.ts";
import { t } from "../texts.ts";
import type { SanctionChoice } from "./review-decisions.ts";

const periods = [1, 24, 168, 720, 0];
const kept = "hubbub-admin-sanction";

/** Returns what this administrator chose last. */
export function lastChoice(): SanctionChoice | undefined {
  const found = localStorage.getItem(kept);
  return found ? (JSON.parse(found) as SanctionChoice) : undefined;
}

/** Says in words how long it lasts: `1 hour`, `7 days`. */
export function periodText(hours: number): string {
  if (hours === 0) return t("story.until_lifted");
  const [value, unit] = hours % 24 === 0 ? [hours / 24, "day"] : [hours, "hour"];
  return new Intl.NumberFormat(i18next.language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}

interface Props {
  readonly name: string;
  readonly onClose: () => void;
  readonly onChosen: (choice: SanctionChoice) => void;
}

/** Asks what a sanction takes, for how long, and what the person is told; remembers it for the next one. */
export function SanctionDialog({ name, onClose, onChosen }: Props) {
  const api = useApi();
  const [choice, setChoice] = useState<SanctionChoice>(
    () => lastChoice() ?? { kinds: ["post", "chat", "message"], hours: 24, reason: "" },
  );
  const fields = fieldsOf(api, api.operation("imposeSanction").body);
  const input = (of: "kinds" | "reason") => (
    <FieldInput
      field={fields.find((field) => field.name === of)!}
      value={choice[of]}
      onChange={(value) => setChoice((before) => ({ ...before, [of]: value ?? (of === "kinds" ? [] : "") }))}
      path="/sanctions"
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    localStorage.setItem(kept, JSON.stringify(choice));
    onChosen(choice);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("review.sanction_of", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          {input("kinds")}
          <Select
            label={t("story.suspend_for")}
            data={periods.map((hours) => ({ value: String(hours), label: periodText(hours) }))}
            value={String(choice.hours)}
            allowDeselect={false}
            onChange={(hours) => setChoice((before) => ({ ...before, hours: Number(hours) }))}
          />
          {input("reason")}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("confirm.cancel")}
            </Button>
            <Button type="submit" color="red" disabled={choice.kinds.length === 0}>
              {t("review.do.sanction")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { type FormEvent, useEffect } from "react";
import type { CreateReportBody } from "../../../shared/client/client.ts";
import { useEvents, useLoaded, usePerson, usePersonState } from "./hooks.ts";
import { Sheet } from "./sheet.tsx";
import { key, t } from "./texts.ts";

/** What is reported. */
export type Reported = Pick<CreateReportBody, "target_type" | "target_id">;

/** They are sent in English, so that moderators find the same reason under one name. */
const reasons = [
  key("Spam or fraud"),
  key("Insults or harassment"),
  key("Hate"),
  key("Sexual content"),
  key("Violence or threats"),
  key("Pretends to be someone else"),
  key("Something else"),
];

/** Asks why something is reported, and for details, and reports it. */
export function ReportSheet({ about, onClose }: { about: Reported; onClose: () => void }) {
  const person = usePerson();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [reason, details] = [String(form.get("reason")), String(form.get("details")).trim()];
    if (!(await person.attempt(() => person.hubbub.reports.create({ ...about, reason, details })))) return;
    person.say(t("Thank you. We will look at it."));
    onClose();
  };
  return (
    <Sheet title={t("Report")} onClose={onClose}>
      <form className="form" onSubmit={(event) => void send(event)}>
        <label>
          {t("Reason")}{" "}
          <select name="reason" required defaultValue="">
            <option value="" disabled>
              {t("Choose a reason")}
            </option>
            {reasons.map((reason) => (
              <option key={reason} value={reason}>
                {t(reason)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("What happened?")} <textarea name="details" rows={3} maxLength={2000} />
        </label>
        <button type="submit" className="primary">
          {t("Send the report")}
        </button>
      </form>
    </Sheet>
  );
}

/** What this person has written to a room or a conversation that others don't see yet. */
export function Held({ targetId, ...how }: { targetId: string; className: string; onShown: () => void }) {
  const { looks } = usePersonState(usePerson());
  return <Lines key={looks} targetId={targetId} {...how} />;
}

function Lines({ targetId, className, onShown }: { targetId: string; className: string; onShown: () => void }) {
  const { held } = usePerson().hubbub;
  const { data = [], reload } = useLoaded(async () =>
    (await held.list()).filter(({ target_id, status }) => target_id === targetId && status === "held"),
  );
  useEvents(["content:decided"], reload);
  useEffect(onShown, [data.length]);
  return data.toReversed().map(({ id, text }) => (
    <p key={id} className={className}>
      <bdi>{text}</bdi> <small>{t("Held: others see it once it has been reviewed.")}</small>
    </p>
  ));
}

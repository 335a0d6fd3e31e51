import { Kbd, Modal, Switch } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { t } from "../texts.ts";

const keysOff = "hubbub-admin-keys-off";

/** Calls `handle` with each key, unless the administrator has turned that off, and opens the help with `?`. */
export function useKeys(handle: (key: string) => boolean) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isOn, setOn] = useState(() => localStorage.getItem(keysOff) === null);
  useListener(isOn, (key) => {
    if (key === "?") setHelpOpen(true);
    return key === "?" || handle(key);
  });
  const turn = (on: boolean) => {
    setOn(on);
    if (on) localStorage.removeItem(keysOff);
    else localStorage.setItem(keysOff, "true");
  };
  return { isOn, turn, isHelpOpen, openHelp: () => setHelpOpen(true), closeHelp: () => setHelpOpen(false) };
}

/** Calls `handle` with each key, except in fields, dialogs, and with Ctrl: it returns whether the key was for it. */
function useListener(isOn: boolean, handle: (key: string) => boolean): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, repeat } = event;
      const isElsewhere =
        (target as HTMLElement).closest("input, textarea, select, [contenteditable]") ??
        document.querySelector("[role=dialog]");
      if (ctrlKey || metaKey || altKey || isElsewhere || (repeat && key !== "j" && key !== "k")) return;
      if (latest.current(key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [isOn]);
}

interface Props {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly isOn: boolean;
  readonly turn: (on: boolean) => void;
}

/** Lists the keys, and turns them on and off. */
export const KeysDialog = ({ isOpen, close, isOn, turn }: Props) => (
  <Modal opened={isOpen} onClose={close} title={t("review.keys")} closeButtonProps={{ "aria-label": t("shell.close") }}>
    <ul className="rows">
      {(["j", "k", "r", "x", "w", "t", "T", "c", "u", "?"] as const).map((key) => (
        <li key={key}>
          <span>{t(`review.key.${key === "T" ? "shift_t" : key === "?" ? "help" : key}`)}</span>
          <Kbd>{key}</Kbd>
        </li>
      ))}
    </ul>
    <Switch
      mt="md"
      label={t("review.keys_on")}
      checked={isOn}
      onChange={({ currentTarget }) => turn(currentTarget.checked)}
    />
  </Modal>
);

import { Alert, Button, type ButtonProps, Group, List, Modal, Select, Stack } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useMediaQuery } from "@mantine/hooks";
import { type FormEvent, type ReactNode, useState } from "react";
import { type HubbubError, isHubbubError } from "../../../shared/client/errors.ts";
import { toast } from "../admin/parts/toast.ts";
import { t } from "../admin/texts.ts";
import { useRead } from "./data.ts";

interface ButtonOfDialog extends Pick<ButtonProps, "variant" | "disabled"> {
  readonly label: string;
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, children, ...button }: ButtonOfDialog) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      {isOpen && children(close)}
    </>
  );
}

interface Props {
  readonly title: string;
  /** Resolves when it is done. */
  readonly send: () => Promise<unknown>;
  /** What is then said. */
  readonly done: string;
  readonly isReady: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for something, sends it, and says why it was refused. */
export function FormDialog({ title, send, done, isReady, onClose, children }: Props) {
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setIsBusy] = useState(false);
  const isSmall = useMediaQuery("(max-width: 40em)");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    try {
      await send();
      toast.done(done);
      onClose();
    } catch (error) {
      setProblem(error as Error);
      setIsBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      fullScreen={isSmall === true}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          {children}
          {problem && <Problem error={problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("form.cancel")}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady}>
              {title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const detailsOf = (error: Error): HubbubError["details"] => (isHubbubError(error) ? error.details : []);

const Problem = ({ error }: { readonly error: Error }) => (
  <Alert color="red" role="alert">
    {error.message}
    <List size="sm">
      {detailsOf(error).map(({ field, message }) => (
        <List.Item key={field}>{message}</List.Item>
      ))}
    </List>
  </Alert>
);

// What the server found needn't contain the text that was searched for.
const asFound = ({ options }: { readonly options: unknown }) => options as never;

interface UserProps {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** Chooses a user by name. */
export function UserInput({ label, value, onChange }: UserProps) {
  const [search, setSearch] = useState("");
  const [q] = useDebouncedValue(search.trim(), 250);
  const found = useRead("searchUsers", { query: { q, limit: 20 } }, { enabled: q.length > 0 });
  const data = (found.data?.items ?? []).map(({ id, full_name, username }) => ({
    value: id,
    label: full_name ? `${full_name} · @${username}` : `@${username}`,
  }));
  return (
    <Select
      label={label}
      required
      searchable
      data={data}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
      filter={asFound}
      placeholder={t("form.search")}
      nothingFoundMessage={q && !found.isFetching ? t("form.nothing_found") : undefined}
    />
  );
}

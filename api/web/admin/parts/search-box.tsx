import { ActionIcon, Button, Combobox, Kbd, Modal, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useHotkeys } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useCan } from "../account.tsx";
import { useRead } from "../data.ts";
import { labelOf, t } from "../texts.ts";
import { Icon } from "./icon.tsx";
import { addressOf } from "./names.ts";
import { detailOf } from "./words.ts";

const pause = 200;

/** The search of the header: a name, or an ID of anything. It opens with `/` and with Ctrl+K. */
export default function SearchBox() {
  const can = useCan();
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([
    ["/", open],
    ["mod+K", open],
  ]);
  if (!can("dashboard.read")) return null;
  return (
    <>
      <Button
        variant="default"
        c="dimmed"
        leftSection={<Icon name="search" />}
        rightSection={<Kbd size="xs">/</Kbd>}
        visibleFrom="sm"
        onClick={open}
      >
        {t("search.open")}
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label={t("search.open")} onClick={open}>
        <Icon name="search" />
      </ActionIcon>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t("search.title")}
        closeButtonProps={{ "aria-label": t("shell.close") }}
        size="lg"
      >
        <Search onDone={close} />
      </Modal>
    </>
  );
}

/** What is found can be chosen with the arrow keys. */
function Search({ onDone }: { readonly onDone: () => void }) {
  const [, navigate] = useLocation();
  const combobox = useCombobox({
    opened: true,
    // It takes Escape from the dialog around it.
    onDropdownClose: (source) => source === "keyboard" && onDone(),
  });
  const [typed, setTyped] = useState("");
  const [q] = useDebouncedValue(typed.trim(), pause);
  const { data, isFetching } = useRead("searchRecords", { query: { q } }, { enabled: q !== "" });
  const found = q === "" ? [] : (data ?? []).filter(({ type, id }) => addressOf(type, id));
  const { selectFirstOption } = combobox;
  useEffect(() => {
    if (data) selectFirstOption();
  }, [data, selectFirstOption]);
  const kinds = [...new Set(found.map(({ type }) => type))];
  const go = (address: string) => {
    onDone();
    navigate(address);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={go}>
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          aria-label={t("search.open")}
          placeholder={t("search.placeholder")}
          leftSection={<Icon name="search" />}
          value={typed}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            combobox.resetSelectedOption();
          }}
        />
      </Combobox.EventsTarget>
      <p role="status" className="search-state">
        {q !== "" && !isFetching && t("search.found", { count: found.length })}
      </p>
      <Combobox.Options aria-label={t("search.title")} className="found">
        {kinds.map((kind) => (
          <Combobox.Group key={kind} label={labelOf("values", kind)}>
            {found
              .filter(({ type }) => type === kind)
              .map(({ type, id, name, detail }) => (
                <Combobox.Option key={id} value={addressOf(type, id)!}>
                  {name || id} {detail && <small>{detailOf(detail)}</small>}
                </Combobox.Option>
              ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
    </Combobox>
  );
}

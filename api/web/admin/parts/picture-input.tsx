import { Button, FileButton, Group, TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../account.tsx";
import { admin } from "../client.ts";
import { t } from "../texts.ts";
import { isPicture, Picture } from "./picture.tsx";

/** What the art of a list's records is for; elsewhere, addresses are only typed. */
const purposes: Readonly<Record<string, Parameters<typeof admin.upload>[1]["purpose"]>> = {
  gifts: "gift",
  frames: "frame",
  "vip-plans": "badge",
  "sticker-packs": "sticker",
  stickers: "sticker",
  events: "banner",
  catalogue: "catalogue",
};

const pictures = "image/png,image/jpeg,image/webp,image/gif,image/avif";
/** Moving pictures, Lottie, and SVGA. Browsers know no type of the last one. */
const animations = "image/webp,image/gif,.json,.svga";

interface PictureInputProps extends TextInputProps {
  /** Of the field: `image_url`. */
  readonly field: string;
  /** Of the page: `/gifts`. */
  readonly path: string;
  readonly value: string;
  readonly onAddress: (address: string) => void;
}

/** The address of a picture, which is typed or uploaded. */
export function PictureInput({ field, path, value, onAddress, error, ...props }: PictureInputProps) {
  const can = useCan();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const purpose = purposes[path.split("/")[1] ?? ""];

  async function upload(file: File | null) {
    if (!file || !purpose) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const { media, reason } = await admin.upload(file, {
        purpose,
        content_type: file.type || "application/octet-stream",
      });
      if (media) onAddress(media.url);
      else setFailure(reason ?? t("form.not_uploaded"));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : t("form.not_uploaded"));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput
        {...props}
        type="url"
        flex={1}
        value={value}
        error={failure ?? error}
        onChange={({ currentTarget }) => onAddress(currentTarget.value)}
      />
      {isPicture(value) && <Picture url={value} />}
      {purpose && can("media.upload") && (
        <FileButton onChange={(file) => void upload(file)} accept={field === "animation_url" ? animations : pictures}>
          {(open) => (
            <Button {...open} variant="default" loading={isBusy} aria-label={`${t("form.upload")}: ${props.label}`}>
              {t("form.upload")}
            </Button>
          )}
        </FileButton>
      )}
    </Group>
  );
}

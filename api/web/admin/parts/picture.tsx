import { Anchor } from "@mantine/core";

/** The path of a picture that was uploaded here, or to the store of this service, or that the demo data has. */
const uploaded = /\/(?:private\/)?media\/[0-9a-f-]{36}\/[0-9a-f]{16}-[a-z]+\.webp$|^\/art\/[a-z]+\/[a-z-]+\.svg$/;

/** Whether an address is that of a picture that the console may load. Others are only links. */
export const isPicture = (url: string): boolean => uploaded.test(URL.parse(url)?.pathname ?? "");

/** Returns the first picture of a record that the console may load. */
export const pictureOf = (record: Readonly<Record<string, unknown>>): string | undefined =>
  ["image_url", "avatar_url", "badge_url", "picture_url", "cover_url"]
    .map((name) => record[name])
    .find((url): url is string => typeof url === "string" && isPicture(url));

/** A small picture, which opens the whole one. */
export const Picture = ({ url }: { readonly url: string }) => (
  <Anchor href={url} target="_blank" rel="noreferrer" className="picture">
    <img src={url} alt={url.split("/").at(-1)?.replace(/\?.*/, "") ?? ""} loading="lazy" />
  </Anchor>
);

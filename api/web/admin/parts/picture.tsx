import { Anchor } from "@mantine/core";

/** The path of a picture that was uploaded here, or to the store of this service. */
const uploaded = /\/(?:private\/)?media\/[0-9a-f-]{36}\/[0-9a-f]{16}-[a-z]+\.webp$/;

/** Whether an address is that of a picture that the console may load. Others are only links. */
export const isPicture = (url: string): boolean => uploaded.test(URL.parse(url)?.pathname ?? "");

/** A small picture, which opens the whole one. */
export const Picture = ({ url }: { readonly url: string }) => (
  <Anchor href={url} target="_blank" rel="noreferrer" className="picture">
    <img src={url} alt={url.split("/").at(-1)?.replace(/\?.*/, "") ?? ""} loading="lazy" />
  </Anchor>
);

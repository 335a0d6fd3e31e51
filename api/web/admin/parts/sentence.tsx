import { Fragment, type ReactNode } from "react";

interface Props {
  /** A text with a mark for each part, such as `From <user/>`: other languages put them elsewhere. */
  readonly text: string;
  readonly parts: Readonly<Record<string, ReactNode>>;
}

/** A sentence with links or other elements in it. */
export const Sentence = ({ text, parts }: Props) =>
  text
    .split(/<(\w+)\/>/)
    .map((piece, index) => <Fragment key={index}>{index % 2 === 1 ? parts[piece] : piece}</Fragment>);

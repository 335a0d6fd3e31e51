import { type FormEvent, useState } from "react";
import type { Post } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { ReportSheet } from "./report.tsx";
import { Scene } from "./scene.tsx";
import { submitText } from "./submit-text.ts";
import { key, t } from "./texts.ts";
import { ago } from "./time.ts";

const mediaNames = { image: key("Image"), video: key("Video"), audio: key("Audio") };

/** `moth` of `https://cdn.example.com/posts/moth.jpg`: the demo draws it, and loads nothing from elsewhere. */
const nameOf = (url: string): string => url.split("/").pop()!.split(".")[0]!;

export function Feed() {
  const person = usePerson();
  const { posts } = person.hubbub;
  const { data, reload } = useLoaded(() => posts.feed({ limit: 30 }));
  useEvents(["notification:new"], reload);
  const write = async (event: FormEvent<HTMLFormElement>) => {
    if (await submitText(event, "content", (content) => person.attempt(() => posts.create({ content })))) reload();
  };
  return (
    <>
      <div className="head">
        <h2>{t("Feed")}</h2>
      </div>
      <form className="compose" onSubmit={(event) => void write(event)}>
        <textarea
          name="content"
          rows={2}
          placeholder={t("What's on tonight?")}
          aria-label={t("New post")}
          maxLength={2000}
        />
        <button type="submit" className="small primary">
          {t("Post")}
        </button>
      </form>
      <div className="posts">
        {data?.items.map((post) => (
          <PostCard key={post.id} post={post} onChange={reload} />
        ))}
      </div>
    </>
  );
}

function PostCard({ post, onChange }: { post: Post; onChange: () => void }) {
  const person = usePerson();
  const { posts } = person.hubbub;
  const [isOpen, setOpen] = useState(false);
  const [isReporting, setReporting] = useState(false);
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) onChange();
  };
  return (
    <article className="post">
      <header>
        <Avatar user={post.author} size={38} />
        <span>
          <b>{post.author.full_name}</b>
          <small>
            {ago(post.created_at)}
            {post.visibility === "followers" && ` · ${t("followers only")}`}
          </small>
        </span>
      </header>
      {post.content && <p dir="auto">{post.content}</p>}
      {post.media.length > 0 && (
        <div className="media">
          <Scene name={nameOf(post.media[0]!.url)} />
          {post.media.map(({ url, type }) => (
            <span key={url} className={type === "image" ? "sr" : undefined}>
              {t(mediaNames[type])}: {url.split("/").pop()}
            </span>
          ))}
        </div>
      )}
      <footer>
        <button
          type="button"
          className={post.liked_by_me ? "link liked" : "link"}
          aria-pressed={post.liked_by_me}
          aria-label={t("Like, {{count}}", { count: post.likes_count })}
          onClick={() => void act(() => posts.like(post.id))}
        >
          <Icon name="heart" size={18} /> {post.likes_count}
        </button>
        <button
          type="button"
          className="link"
          aria-expanded={isOpen}
          aria-label={t("Comments, {{count}}", { count: post.comments_count })}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="chat" size={18} /> {post.comments_count}
        </button>
        {post.author.id !== person.id && (
          <button type="button" className="link push" onClick={() => setReporting(true)}>
            {t("Report")}
          </button>
        )}
        {post.author.id === person.id && (
          <button type="button" className="link push" onClick={() => void act(() => posts.delete(post.id))}>
            {t("Delete")}
          </button>
        )}
      </footer>
      {isReporting && (
        <ReportSheet about={{ target_type: "post", target_id: post.id }} onClose={() => setReporting(false)} />
      )}
      {isOpen && <Comments key={post.comments_count} post={post} onChange={onChange} />}
    </article>
  );
}

function Comments({ post, onChange }: { post: Post; onChange: () => void }) {
  const person = usePerson();
  const { data } = useLoaded(() => person.hubbub.posts.comments(post.id));
  const write = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget).get("content")).trim();
    if (content && (await person.attempt(() => person.hubbub.posts.comment(post.id, content)))) onChange();
  };
  return (
    <div className="comments">
      {data?.items.map(({ id, author, content }) => (
        <p key={id}>
          <Avatar user={{ ...author, is_online: false }} size={24} />
          <span>
            <b>{author.full_name}</b> <bdi>{content}</bdi>
          </span>
        </p>
      ))}
      <form className="field" onSubmit={(event) => void write(event)}>
        <input
          name="content"
          placeholder={t("Add a comment")}
          aria-label={t("Comment")}
          autoComplete="off"
          maxLength={500}
        />
        <button type="submit" className="round" aria-label={t("Send the comment")}>
          <Icon name="send" size={16} />
        </button>
      </form>
    </div>
  );
}

import type { Crew } from "../tool/crew.ts";
import type { Arrival, Play, Scenario } from "../tool/scenario.ts";

/** IDs by the one that they belong to: posts by their author, comments by their post. */
type Written = Record<string, string[]>;

interface Notes {
  readonly posts: Written;
  readonly comments: Written;
}

const postsMax = 50;

export const feed: Scenario = {
  description: "posts, comments, likes, and reads of the feed: what was acknowledged is listed once",
  doors: ["rest"],
  clients: 40,
  rate: 50,
  rooms: 1,
  open: async (crew) => post(crew),
  check: async (stage, people, { notes }) => {
    const client = stage.client(people[0]!);
    const violations: string[] = [];
    for (const { posts, comments } of notes as readonly Notes[]) {
      for (const [id, written] of Object.entries(posts)) {
        const listed = [];
        for await (const post of client.each("listUserPosts", { params: { id } })) listed.push(post.id);
        violations.push(...differences(`posts of user ${id}`, written, listed));
      }
      for (const [id, written] of Object.entries(comments)) {
        const listed = [];
        for await (const comment of client.each("listComments", { params: { id } })) listed.push(comment.id);
        violations.push(...differences(`comments on post ${id}`, written, listed));
      }
    }
    return violations;
  },
};

function differences(what: string, written: readonly string[], listed: readonly string[]): string[] {
  return written.flatMap((id) => {
    const times = listed.filter((one) => one === id).length;
    return times === 1 ? [] : `${id} was acknowledged, but is ${times} times among the ${what}`;
  });
}

function post(crew: Crew): Play {
  const notes: Notes = { posts: {}, comments: {} };
  const recent: string[] = [];
  const add = (all: Written, of: string, id: string) => {
    all[of] = [...(all[of] ?? []), id];
  };
  const acts: readonly { weight: number; act: (arrival: Arrival) => Promise<unknown> }[] = [
    {
      weight: 50,
      act: ({ dueMs }) => crew.measure("getFeed", dueMs, () => crew.dice.pick(crew.members).client.posts.feed()),
    },
    {
      weight: 10,
      act: async ({ dueMs, number }) => {
        const { client, id } = crew.dice.pick(crew.members);
        const { data } = await crew.measure("createPost", dueMs, () =>
          client.posts.create({ content: `Good evening, number ${number}!` }),
        );
        if (!data) return;
        add(notes.posts, id, data.id);
        recent.push(data.id);
        if (recent.length > postsMax) recent.shift();
      },
    },
    {
      weight: 20,
      act: ({ dueMs }) =>
        crew.measure("togglePostLike", dueMs, () => crew.dice.pick(crew.members).client.posts.like(pick())),
    },
    {
      weight: 10,
      act: async ({ dueMs }) => {
        const [{ client }, id] = [crew.dice.pick(crew.members), pick()];
        const { data } = await crew.measure("addComment", dueMs, () => client.posts.comment(id, "So true."));
        if (data) add(notes.comments, id, data.id);
      },
    },
    {
      weight: 10,
      act: ({ dueMs }) =>
        crew.measure("listComments", dueMs, () => crew.dice.pick(crew.members).client.posts.comments(pick())),
    },
  ];
  const pick = () => crew.dice.pick(recent);
  return {
    // Until there is a post, the second of them is what is due.
    act: (arrival) => (recent.length === 0 ? acts[1]! : crew.dice.weighted(acts)).act(arrival),
    notes: () => notes,
    close: () => {},
  };
}

import Joi from "joi";
import { count, date, type Infer, integer, nullable, object, oneOf, time } from "../fields.ts";

export const chartType = () =>
  oneOf("user_growth", "room_activity", "engagement", "gifts", "coin_sales").description(
    "`user_growth`: new accounts. `room_activity`: messages in rooms. `engagement`: posts, comments, and direct messages. `gifts`: gifts sent. `coin_sales`: coins sold.",
  );
export type ChartType = Infer<ReturnType<typeof chartType>>;

export const chartPoint = object({ date: date("2026-01-31"), value: count(12) }).meta({ name: "ChartPoint" });
export type ChartPoint = Infer<typeof chartPoint>;

const texts = {
  country: Joi.string().length(2).example("IN"),
  sent: count(120).description("Codes sent."),
  used: count(96).description("Codes used."),
  used_percent: integer(0, 100, 80).description("A low share is the sign of someone who lives on messages."),
  price_class: nullable(Joi.string().example("low")).description(
    "What the carrier says of the price, if it tells: `price_class` of its response.",
  ),
};
export const textDay = object({ date: date("2026-11-23"), ...texts }).meta({ name: "TextDay" });
export type TextDay = Infer<typeof textDay>;
export const textCountry = object(texts).meta({ name: "TextCountry" });
export type TextCountry = Infer<typeof textCountry>;

const figures = () =>
  object({
    user_growth: count(12).description("New accounts."),
    room_activity: count(340).description("Messages in rooms."),
    engagement: count(85).description("Posts, comments, and direct messages."),
    gifts: count(51).description("Gifts sent."),
    coin_sales: count(12_000).description("Coins sold."),
  });

export const dashboard = object({
  totals: figures().description("Since the service started.").meta({ name: "DashboardTotals" }),
  today: figures().description("Since midnight in the time zone.").meta({ name: "DashboardToday" }),
  now: object({
    online_users: count(7).description("With a connection, or in a room."),
    people_in_rooms: count(5),
    open_rooms: count(3),
    suspended_users: count(1),
    open_reports: count(2),
    open_tickets: count(4),
    pending_approvals: count(1).description("Adjustments of balances that wait for a second administrator."),
  }).meta({ name: "DashboardNow" }),
  counted_until: time("2026-01-31T12:15:00.000Z").description(
    "Up to this time, figures are stored. What is later is counted at each call, at most one day of it.",
  ),
}).meta({ name: "Dashboard" });
export type Dashboard = Infer<typeof dashboard>;

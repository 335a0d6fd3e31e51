import { DEFAULT_THEME, defaultCssVariablesResolver, luminance } from "@mantine/core";
import { expect } from "chai";
import { colors, variables } from "./colors.ts";

/** What small text needs (WCAG 2.2, 1.4.3). */
const enough = 4.5;

const contrastOf = (one: string, other: string): number => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

describe("the console's colors", () => {
  const byDefault = defaultCssVariablesResolver(DEFAULT_THEME);
  const ours = variables(DEFAULT_THEME);

  for (const scheme of ["light", "dark"] as const)
    it(`are easy to read on light backgrounds of their own, also under the pointer: ${scheme}`, () => {
      const values: Record<string, string> = { ...byDefault.variables, ...byDefault[scheme], ...ours[scheme] };
      const resolved = (name: string): string => {
        const value = values[name]!;
        const inner = /^var\((.*)\)$/.exec(value)?.[1];
        return inner ? resolved(inner) : value;
      };
      for (const color of colors)
        for (const background of ["light", "light-hover"]) {
          const of = (part: string) => resolved(`--mantine-color-${color}-${part}`);
          expect(contrastOf(of("light-color"), of(background)), `${color}, ${background}`).to.be.at.least(enough);
        }
    });
});

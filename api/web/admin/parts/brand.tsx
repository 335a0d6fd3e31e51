import { Group, Text } from "@mantine/core";

/** The mark and the name of the product. */
export const Brand = () => (
  <Group gap={10} wrap="nowrap">
    <img src="/docs/assets/icon.svg" width={28} height={28} alt="" />
    <Text component="span" fw={700} size="lg" className="brand">
      Hubbub
    </Text>
  </Group>
);

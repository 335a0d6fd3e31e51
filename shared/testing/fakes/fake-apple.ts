export { type Chain, DemoApple as FakeApple, markers } from "#shared/domain/money/stores/apple/demo-apple.ts";

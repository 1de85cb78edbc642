import type { Services } from '../../../src/services.ts';

/** @returns an operation that records its call and returns that value */
export type Answer = <Value>(name: string, value: Value) => (...args: unknown[]) => Promise<Value>;

/** Some methods of a service. */
type Fake<Service> = Partial<Pick<NonNullable<Service>, keyof NonNullable<Service>>>;

/** The services that a test reaches, without their private parts. */
export type FakeServices = {
  readonly [Name in Exclude<keyof Services, 'helpdesk'>]?: Fake<Services[Name]>;
} & {
  readonly helpdesk?: { readonly [View in keyof Services['helpdesk']]: Fake<Services['helpdesk'][View]> };
};

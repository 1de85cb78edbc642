import type { ValueOf } from '../api/call.ts';

export type Setting = ValueOf<'/system/settings'>[number];

/** A setting, and whether its value or its default is wanted. */
export interface SettingChange {
  readonly setting: Setting;
  readonly kind: 'set' | 'reset';
}

/** @returns the parameter `expected`: the value as it was read; none for one that is not shown */
export function expectedOf({ key, value, set, withheld }: Setting): { readonly expected?: string } {
  return withheld ? {} : { expected: JSON.stringify({ [key]: set ? value : null }) };
}

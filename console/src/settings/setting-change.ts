import type { ValueOf } from '../api/call.ts';

export type Setting = ValueOf<'/admin/setting/list'>[number];

/** A setting, and whether its value or its default is wanted. */
export interface SettingChange {
  readonly setting: Setting;
  readonly kind: 'set' | 'reset';
}

/** @returns the parameter `expected`: the value as it was read; none for one that is not shown */
export function expectedOf({ value, is_set: isSet, is_withheld: isWithheld }: Setting): {
  readonly expected?: string;
} {
  return isWithheld ? {} : { expected: JSON.stringify(isSet ? value : null) };
}

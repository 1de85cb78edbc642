import type { ValueOf } from '../api/call.ts';

export type Setting = ValueOf<'/system/settings'>[number];

/** A setting, and whether its value or its default is wanted. */
export interface SettingChange {
  readonly setting: Setting;
  readonly kind: 'set' | 'reset';
}

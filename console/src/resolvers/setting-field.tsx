import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import card from '../design/card.module.css';
import { SecretField } from '../design/secret-field.tsx';
import { useTexts } from '../language/language.ts';
import type { ResolverSetting } from './resolver-draft.ts';
import { resolverTexts } from './resolver-texts.ts';
import { settingTexts } from './setting-texts.ts';

interface SettingFieldProps {
  readonly kind: string;
  readonly setting: ResolverSetting;
  readonly value: string;
  /** Of a secret. */
  readonly isDisabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** The field of one setting. A password is written, and never shown again. */
export function SettingField({
  kind,
  setting,
  value,
  isDisabled = false,
  onChange,
}: SettingFieldProps): ReactNode {
  const t = useTexts(resolverTexts);
  const { labels } = useTexts(settingTexts);
  const { name, is_required: required, example, form, is_secret: isSecret, values } = setting;
  const description = useDescription(kind, setting);
  const common = {
    label: `${labels[name] ?? name} (${name})`,
    description,
    required,
    withAsterisk: false,
    spellCheck: false,
    value,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      onChange(currentTarget.value);
    },
  };
  if (isSecret === true) {
    return (
      <SecretField
        label={common.label}
        description={description}
        autoComplete="new-password"
        isOptional={!required}
        isDisabled={isDisabled}
        value={value}
        onChange={onChange}
      />
    );
  }
  if (values !== undefined) {
    return <NativeSelect {...common} data={[{ value: '', label: t.unset }, ...values]} />;
  }
  return form === undefined ? (
    <TextInput {...common} placeholder={example ?? ''} autoComplete="off" />
  ) : (
    <Textarea {...common} className={card.mono} placeholder={example ?? ''} rows={form === 'lines' ? 6 : 3} />
  );
}

/** @returns the purpose of the setting, and its default */
function useDescription(
  kind: string,
  { name, description, is_secret: isSecret, default: usual }: ResolverSetting,
): string {
  const t = useTexts(resolverTexts);
  const { meanings } = useTexts(settingTexts);
  const text = meanings[`${kind} ${name}`] ?? description;
  const rest = isSecret === true ? t.keepsPassword : usual === undefined ? '' : t.fallback(usual);
  return `${text.replaceAll('`', '')} ${rest}`.trim();
}

import { NativeSelect, TextInput } from '@mantine/core';
import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { ConsequenceList } from '../consequences/consequence-list.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { QueryFailure } from '../design/failure.tsx';
import { useFailureLine } from '../design/failure-words.ts';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import { settingTexts } from './setting-texts.ts';
import { expectedOf, type Setting, type SettingChange } from './setting-change.ts';

interface SettingDialogProps {
  readonly change: SettingChange;
  readonly onClose: () => void;
}

/** Milliseconds after the last key until the server checks the value. */
const TYPING_MS = 300;

/** Changes a setting, or restores its default. The server checks the value as it is typed, and tells what follows. */
export function SettingDialog({ change: { setting, kind }, onClose }: SettingDialogProps): ReactNode {
  const t = useTexts(settingTexts);
  const queries = useQueryClient();
  const reread = useReread();
  const lineOf = useFailureLine();
  const { key } = setting;
  const [value, setValue] = useState(setting.value ?? '');
  const [read, setRead] = useState(setting);
  const { preview, isChecked } = useCheck(kind === 'set' ? { key, value } : { key });
  const change = useMutation({
    mutationFn: async () => {
      const parameters = { key, ...expectedOf(read) };
      await (kind === 'set'
        ? call('/admin/setting/set', { ...parameters, value })
        : call('/admin/setting/remove', parameters));
    },
    onSuccess: () => reread(['settings']),
    onError: () => {
      // Not awaited: a server that is away would hold the failure back.
      void queries.invalidateQueries({ queryKey: ['settings'] }).then(() => {
        // Somebody else may have changed it: a second attempt replaces the value that is shown then.
        const present = queries.getQueryData<readonly Setting[]>(['settings']) ?? [];
        setRead((before) => present.find((one) => one.key === key) ?? before);
      });
    },
  });
  return (
    <ConfirmDialog
      title={kind === 'set' ? t.change(key) : t.reset(key)}
      action={kind === 'set' ? t.save : t.resetShort}
      isRunning={change.isPending}
      isDisabled={!isChecked}
      error={change.error}
      onConfirm={() => {
        // Not called once this dialog was closed: another one may be open.
        change.mutate(undefined, { onSuccess: onClose });
      }}
      onCancel={onClose}
    >
      {kind === 'set' ? (
        <ValueField
          setting={setting}
          value={value}
          error={lineOf(wrongValue(preview.error))}
          onChange={setValue}
        />
      ) : (
        <p>{`${t.initial}: ${setting.default ?? t.none}`}</p>
      )}
      {read.value !== setting.value && <p role="status">{t.present(read.value ?? t.none)}</p>}
      <Check preview={preview} isChecked={isChecked} />
    </ConfirmDialog>
  );
}

/** @returns the refusal of the value, which stands at its field */
function wrongValue(error: Error | null): Error | null {
  return error instanceof ServerFailure && !error.isAway ? error : null;
}

/** The consequences of the value, or the reason why they are not known. */
function Check({ preview, isChecked }: ReturnType<typeof useCheck>): ReactNode {
  const t = useTexts(settingTexts);
  return (
    <>
      {wrongValue(preview.error) === null && <QueryFailure query={preview} />}
      {isChecked && preview.data !== undefined && (
        <ConsequenceList list={preview.data} nothing={t.nothingFollows} />
      )}
    </>
  );
}

interface CheckedValue {
  readonly key: string;
  /** Left out: the default. */
  readonly value?: string;
}

type SettingPreview = ValueOf<'/admin/setting/set/consequences'>;

/** @returns the server's check of a value, once nothing was typed for a moment, and whether it is that of this value */
function useCheck({ key, value }: CheckedValue): {
  readonly preview: UseQueryResult<SettingPreview>;
  readonly isChecked: boolean;
} {
  const settled = useSettled(value);
  const preview = useQuery<SettingPreview>({
    queryKey: ['setting-consequences', key, settled],
    queryFn: ({ signal }) =>
      settled === undefined
        ? Promise.resolve([])
        : call('/admin/setting/set/consequences', { key, value: settled }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  return { preview, isChecked: settled === value && preview.isSuccess && !preview.isPlaceholderData };
}

/** @returns the value, once it has not changed for a moment */
function useSettled(value: string | undefined): string | undefined {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return settled;
}

function ValueField({
  setting: { key, type, unit, min, max, meaning },
  value,
  error,
  onChange,
}: {
  readonly setting: Setting;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const t = useTexts(settingTexts);
  const range = min === undefined || max === undefined ? '' : ` ${t.range(min, max)}`;
  const hint = `${type === undefined ? '' : t.forms[type]}${range}${unit === 'seconds' ? ` (${t.seconds})` : ''}`;
  const facts = { label: t.value, description: `${t.meanings[key] ?? meaning ?? ''}. ${hint}`, value, error };
  if (type === 'boolean') {
    return (
      <NativeSelect
        {...facts}
        data={[...new Set(['True', 'False', value])]}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      />
    );
  }
  return (
    <TextInput
      {...facts}
      inputMode={type === 'number' ? 'numeric' : 'text'}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}

/** The SHA-256 of the statements of each migration. Written by `npm run schema`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
  '001-realms-and-users': '6f78f32a1c686a11016aaa47b69a6ede5f3e1c42f086db3fab630b9c1adf8543',
  '002-tokens-and-challenges': 'f014fc0c8b577c1651c953a170117b6e8c702493ea0f9a3fdc350ddfc5b51f3f',
  '003-configuration': 'a93f6413a708262e8a50062268a4b726a2de54cc1146942e5cd65f5e78a1788a',
  '004-administrators': '95a74acc68a9d7d563e238c3ecae1d4d2cdef5e388a4261f489f8500d960c813',
  '005-encryption-keys': '45384225d1007a6aa2d41c90e960494b17cb6adbea4cdd1fa30caa5622cec773',
  '006-audit': '2a7a033e59e2d413b3182026374d3d18f4f31dfb4e4cd51bcd176297c1cf7ff9',
  '007-counts': '3ad4ecdbb0c932f9239c31ed0de50eb040ad0255c3a09f97bdece96a712dcdb1',
  '008-rate-limits': '3526bb1aa2788e062c5244b0563b58ecf92a52670025d68712c33e5be4b69d8b',
  '009-linotp-import': '55864d0c35761a1604b7cca0134d0067bc6d6dfeff93eed8fee6929bfb85dd82',
  '010-webhooks': 'b9fcf79899b7e093ed0b2cf7697b0726f13f899023abbfe22d3ca189057590b7',
  '011-observations': '2d011a0db77732a9cb38a9946094f2b74fbe946316a4539e8a65974c9031631a',
  '012-questions': '0598324c3b54e86d2956b27b6415b3c35ec62b8a2553b2d2dbdca516a8701435',
  '013-one-clock': 'd9d4dcfdb44a581b20ea094c269aebbe5e63b95722db354bc5f1066585655bc2',
  '014-used-sign-ons': '7cd3da51b6983d81a587e4db1e524f2f13537a48b1f71dae3059af02a446b2ea',
  '015-token-use': '9597b99d8db798a0869bd390d346eb4b922a35845a3c49228d1fc61b28a39850',
  '016-declines': '809eb7c877d88042bb5220791df61f1e7862ad294a2e9afde8be442da270089b',
};

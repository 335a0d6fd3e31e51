/** Translations of the texts that users see. */
export const texts = {
  hi: {
    "You have this reward already.": "यह इनाम आपको पहले ही मिल चुका है।",
    "This mission isn't complete.": "यह मिशन पूरा नहीं हुआ है।",
    "There are no rewards left. Try again later.": "कोई इनाम नहीं बचा है। बाद में फिर कोशिश करें।",
  },
  ar: {
    "You have this reward already.": "لقد حصلت على هذه المكافأة بالفعل.",
    "This mission isn't complete.": "لم تكتمل هذه المهمة.",
    "There are no rewards left. Try again later.": "لم تبقَ مكافآت. حاول لاحقًا.",
  },
  es: {
    "You have this reward already.": "Ya tienes esta recompensa.",
    "This mission isn't complete.": "Esta misión no está completa.",
    "There are no rewards left. Try again later.": "No quedan recompensas. Inténtalo más tarde.",
  },
  pt: {
    "You have this reward already.": "Você já tem esta recompensa.",
    "This mission isn't complete.": "Esta missão não está completa.",
    "There are no rewards left. Try again later.": "Não há mais recompensas. Tente mais tarde.",
  },
  id: {
    "You have this reward already.": "Anda sudah mendapat hadiah ini.",
    "This mission isn't complete.": "Misi ini belum selesai.",
    "There are no rewards left. Try again later.": "Tidak ada hadiah tersisa. Coba lagi nanti.",
  },
};

/** Translations of the texts that users see. */
export const texts = {
  hi: {
    "You can't battle a room of your own.": "आप अपने ही रूम से मुकाबला नहीं कर सकते।",
    "One of the rooms is in a battle, or yours has invited another room.":
      "दोनों में से एक रूम मुकाबले में है, या आपका रूम किसी और को बुला चुका है।",
    "This invitation is no longer open.": "यह निमंत्रण अब खुला नहीं है।",
    Battle: "मुकाबला",
    "{{room}} invites your room {{rival}} to a battle.": "{{room}} आपके रूम {{rival}} को मुकाबले के लिए बुला रहा है।",
    "The battle of your room is over: {{own}} to {{rival}}.": "आपके रूम का मुकाबला खत्म हुआ: {{own}} बनाम {{rival}}।",
  },
  ar: {
    "You can't battle a room of your own.": "لا يمكنك منافسة غرفة لك.",
    "One of the rooms is in a battle, or yours has invited another room.":
      "إحدى الغرفتين في منافسة، أو أن غرفتك دعت غرفة أخرى.",
    "This invitation is no longer open.": "لم تعد هذه الدعوة مفتوحة.",
    Battle: "منافسة",
    "{{room}} invites your room {{rival}} to a battle.": "تدعو {{room}} غرفتك {{rival}} إلى منافسة.",
    "The battle of your room is over: {{own}} to {{rival}}.": "انتهت منافسة غرفتك: {{own}} مقابل {{rival}}.",
  },
  es: {
    "You can't battle a room of your own.": "No puedes competir con una sala tuya.",
    "One of the rooms is in a battle, or yours has invited another room.":
      "Una de las salas está en una batalla, o la tuya ha invitado a otra.",
    "This invitation is no longer open.": "Esta invitación ya no está abierta.",
    Battle: "Batalla",
    "{{room}} invites your room {{rival}} to a battle.": "{{room}} invita a tu sala {{rival}} a una batalla.",
    "The battle of your room is over: {{own}} to {{rival}}.":
      "La batalla de tu sala ha terminado: {{own}} a {{rival}}.",
  },
  pt: {
    "You can't battle a room of your own.": "Você não pode competir com uma sala sua.",
    "One of the rooms is in a battle, or yours has invited another room.":
      "Uma das salas está em uma batalha, ou a sua convidou outra.",
    "This invitation is no longer open.": "Este convite não está mais aberto.",
    Battle: "Batalha",
    "{{room}} invites your room {{rival}} to a battle.": "{{room}} convida sua sala {{rival}} para uma batalha.",
    "The battle of your room is over: {{own}} to {{rival}}.": "A batalha da sua sala terminou: {{own}} a {{rival}}.",
  },
  id: {
    "You can't battle a room of your own.": "Anda tidak bisa bertanding dengan ruang sendiri.",
    "One of the rooms is in a battle, or yours has invited another room.":
      "Salah satu ruang sedang bertanding, atau ruang Anda sudah mengundang ruang lain.",
    "This invitation is no longer open.": "Undangan ini tidak lagi terbuka.",
    Battle: "Pertandingan",
    "{{room}} invites your room {{rival}} to a battle.": "{{room}} mengundang ruang Anda {{rival}} untuk bertanding.",
    "The battle of your room is over: {{own}} to {{rival}}.":
      "Pertandingan ruang Anda selesai: {{own}} lawan {{rival}}.",
  },
};

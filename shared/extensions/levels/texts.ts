/** Translations of the texts that users see. */
export const texts = {
  hi: {
    "A new level": "नया स्तर",
    "You have reached level {{level}} of giving: {{title}}.": "आप देने के स्तर {{level}} पर पहुँच गए हैं: {{title}}।",
    "You have reached level {{level}} of hosting: {{title}}.": "आप होस्टिंग के स्तर {{level}} पर पहुँच गए हैं: {{title}}।",
  },
  ar: {
    "A new level": "مستوى جديد",
    "You have reached level {{level}} of giving: {{title}}.": "لقد وصلت إلى المستوى {{level}} في الإهداء: {{title}}.",
    "You have reached level {{level}} of hosting: {{title}}.":
      "لقد وصلت إلى المستوى {{level}} في الاستضافة: {{title}}.",
  },
  es: {
    "A new level": "Un nuevo nivel",
    "You have reached level {{level}} of giving: {{title}}.": "Has alcanzado el nivel {{level}} de regalos: {{title}}.",
    "You have reached level {{level}} of hosting: {{title}}.":
      "Has alcanzado el nivel {{level}} de anfitrión: {{title}}.",
  },
  pt: {
    "A new level": "Um novo nível",
    "You have reached level {{level}} of giving: {{title}}.":
      "Você alcançou o nível {{level}} de presentes: {{title}}.",
    "You have reached level {{level}} of hosting: {{title}}.":
      "Você alcançou o nível {{level}} de anfitrião: {{title}}.",
  },
  id: {
    "A new level": "Level baru",
    "You have reached level {{level}} of giving: {{title}}.": "Anda mencapai level {{level}} memberi: {{title}}.",
    "You have reached level {{level}} of hosting: {{title}}.": "Anda mencapai level {{level}} menjadi host: {{title}}.",
  },
};
